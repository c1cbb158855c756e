import type { Random } from '../support/random.ts';
import type { Weather } from './database.ts';
import type { SimulatedNode } from './node.ts';

/** In ms of the simulation: how long faults occur. */
export const troubleMs = 25_000;

/** A fault of a node, or of all; times in ms of the simulation. */
export interface Fault {
  readonly kind: 'kill' | 'stop' | 'cut' | 'links' | 'away' | 'clock';
  readonly from: number;
  readonly lasts: number;
  begin(): void;
  end(): void;
}

const kinds = ['kill', 'stop', 'cut', 'links', 'away', 'clock'] as const;

/** Draws the reliability of the network to the database: in half of the worlds a kind of fault never occurs. */
export function makeWeather(random: Random): Weather {
  const often = (most: number) => (random.below(2) ? random.next() * most : 0);
  return {
    lostCalls: often(random.pick([0.01, 0.1])),
    lostNews: random.pick([0, 0.1, 1]),
    doubledNews: often(0.5),
    lostMessages: often(0.5),
  };
}

/** Sets some clocks wrong, and draws up to five faults; six of `only`, if it is given. */
export function drawFaults(random: Random, nodes: readonly SimulatedNode[], only?: readonly Fault['kind'][]): Fault[] {
  const skew = () => random.below(120_000) - 60_000;
  for (const node of nodes) if (random.below(2)) node.skewMs = skew();
  const count = only ? Math.min(6, 6 * only.length) : random.below(6);
  return Array.from({ length: count }, () => {
    const node = random.pick(nodes);
    const [from, lasts] = [random.below(troubleMs), random.below(random.pick([500, 5000, 30_000]))];
    const kind = random.pick(only ?? kinds);
    return { kind, from, lasts, ...makeFault(kind, { node, nodes, lasts, skew }) };
  });
}

interface Place {
  readonly node: SimulatedNode;
  readonly nodes: readonly SimulatedNode[];
  readonly lasts: number;
  readonly skew: () => number;
}

function makeFault(kind: Fault['kind'], { node, nodes, lasts, skew }: Place): Pick<Fault, 'begin' | 'end'> {
  const cut = (these: readonly SimulatedNode[], isCut: boolean) => {
    for (const each of these) each.isCut = isCut;
  };
  const once = (begin: () => void) => ({ begin, end: () => undefined });
  switch (kind) {
    case 'kill':
      return { begin: () => node.kill(), end: () => node.start() };
    case 'stop':
      return once(() => node.stop(lasts));
    case 'cut':
      return { begin: () => cut([node], true), end: () => cut([node], false) };
    case 'links':
      return once(() => node.cutLinks());
    case 'away': // the database restarts, and keeps its data
      return { begin: () => cut(nodes, true), end: () => cut(nodes, false) };
    case 'clock':
      return once(() => {
        node.skewMs = skew();
      });
    default:
      return kind satisfies never;
  }
}

import type { Bus, Json } from '@parleyhq/core';
import { pino } from 'pino';
import { expect, test, vi } from 'vitest';
import { Cluster } from './cluster.ts';
import { CommonClock } from './common-clock.ts';
import { NodeLink } from './node-link.ts';

const log = pino({ level: 'silent' });

/** Buses of nodes on one database: what one publishes, the others receive. */
function makeBuses() {
  const ears = new Map<Bus, (message: Json) => void>();
  const add = (): Bus => {
    const bus: Bus = {
      publish: (message) => {
        for (const [other, hear] of ears) if (other !== bus) hear(message);
      },
      subscribe: async (onMessage) => void ears.set(bus, onMessage),
    };
    return bus;
  };
  return { add };
}

const makeLink = (bus: Bus, nodeId: string) => new NodeLink({ bus, nodeId, log });

test('[OPS8, OPS4, DUR4] a node that stops releases its lease, and then has the others look at the leases at once', async () => {
  const buses = makeBuses();
  const living = new Set(['a', 'b']);
  const [a, b] = [makeLink(buses.add(), 'a'), makeLink(buses.add(), 'b')];
  const seen: string[][] = [];
  await b.open({ hub: { open: vi.fn() }, extensions: [], look: async () => void seen.push([...living]) });
  b.greet();
  const shared = { leave: async (id: string) => void living.delete(id) };
  const options = { shared, nodeId: 'a', clock: new CommonClock(Date.now), link: a, log };
  await new Cluster(options as never).stop();
  await vi.waitFor(() => expect(seen).toEqual([['b']]));
});

test('[OPS4] a node whose lease could not be released sends no farewell, because it may still count as alive', async () => {
  const buses = makeBuses();
  const [a, b] = [makeLink(buses.add(), 'a'), makeLink(buses.add(), 'b')];
  const look = vi.fn(async () => undefined);
  await b.open({ hub: { open: vi.fn() }, extensions: [], look });
  b.greet();
  const shared = { leave: () => Promise.reject(new Error('the database cannot be reached')) };
  const options = { shared, nodeId: 'a', clock: new CommonClock(Date.now), link: a, log };
  await new Cluster(options as never).stop();
  expect(look).not.toHaveBeenCalled();
});

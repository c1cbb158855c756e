import { connect, type Socket } from 'node:net';
import { serveCalls } from '../process/child.ts';
import { clock, sleep } from '../process/clock.ts';
import { Arrivals, type Marked } from './arrivals.ts';
import { askByHttp, type CallTimes, type Question } from './http-caller.ts';
import { type Place, type Reading, readShakily } from './shaky-tab.ts';
import { Tab } from './tab.ts';

interface Address {
  readonly port: number;
  readonly turnstile: number;
}

interface Room {
  tabs: readonly Tab[];
  readonly arrivals: Arrivals;
  readonly turnstile: Socket;
  isSerial: boolean;
}

const rooms = new Map<number, Room>();

function room(id: number): Room {
  const found = rooms.get(id);
  if (!found) throw new Error(`no room ${id}`);
  return found;
}

async function openRoom(
  { port, turnstile }: Address,
  count: number,
  choose: (reader: Tab) => Promise<string>,
): Promise<number> {
  const arrivals = new Arrivals(count);
  const reader = await Tab.open(port, arrivals, true);
  const sessionId = await choose(reader);
  const others: Tab[] = [];
  while (others.length < count - 1) {
    const size = Math.min(50, count - 1 - others.length);
    others.push(...(await Promise.all(Array.from({ length: size }, () => Tab.open(port, arrivals, false)))));
  }
  const tabs = [reader, ...others];
  await Promise.all(tabs.map((tab) => tab.subscribe(sessionId)));
  const made: Room = { tabs, arrivals, turnstile: connect(turnstile, '127.0.0.1').setNoDelay(), isSerial: false };
  arrivals.onResponse = () => made.isSerial && made.turnstile.write('.');
  made.turnstile.on('error', () => made.turnstile.destroy());
  const id = rooms.size + 1;
  rooms.set(id, made);
  await sleep(100); // presence is announced after 50 ms
  return id;
}

const methods = {
  /** Opens this many tabs on a new session and returns a handle. */
  async open(address: Address, count: number, agent: string): Promise<number> {
    return openRoom(address, count, (reader) => reader.createSession(agent));
  },
  /** Opens this many tabs on an existing session and returns a handle. */
  join: (address: Address, count: number, sessionId: string) => openRoom(address, count, async () => sessionId),
  /** Asks by HTTP, one question after the other, each answered immediately: see `askByHttp`. */
  async ask(id: number, question: Question, ms: number): Promise<CallTimes> {
    return askByHttp(room(id).arrivals, question, ms);
  },
  say(id: number, text: string, isSerial = false): void {
    const { tabs } = Object.assign(room(id), { isSerial });
    tabs[0]?.say(text);
  },
  take: (id: number, type: Marked, count: number) => room(id).arrivals.take(type, count),
  takeDelays: (id: number) => room(id).arrivals.takeDelays(),
  close(id: number): void {
    for (const tab of room(id).tabs) tab.close();
    room(id).turnstile.destroy();
  },
  /** The time in ms from a new tab's subscription until it is live. */
  async replay({ port }: Address, sessionId: string, seq: number, cursor?: object): Promise<number> {
    const tab = await Tab.open(port, new Arrivals(2), false);
    await sleep(10);
    const start = clock();
    const reached = await tab.subscribe(sessionId, cursor);
    const took = clock() - start;
    tab.close();
    if (reached < seq) throw new Error(`live at ${reached}, not at ${seq}`);
    return took;
  },
  /** Opens as many connections as a room has tabs, all at once after the old ones broke off. @returns when each was live, in ms */
  async reconnect(id: number, { port, sessionId, epoch }: Place, seq: number): Promise<Float64Array> {
    const broken = room(id);
    for (const tab of broken.tabs) tab.close();
    const begun = clock();
    const times: number[] = [];
    broken.tabs = await Promise.all(
      broken.tabs.map(async () => {
        const tab = await Tab.open(port, broken.arrivals, false);
        await tab.subscribe(sessionId, { epoch, seq });
        times.push(clock() - begun);
        return tab;
      }),
    );
    return Float64Array.from(times);
  },
  /** Reads a session with this many tabs over bad connections, until `finish` says where it ends: see `readShakily`. */
  read(place: Place, tabs: number, from: number): void {
    end = Number.POSITIVE_INFINITY;
    readings = Promise.all(Array.from({ length: tabs }, () => readShakily(place, from, () => end)));
  },
  finish(seq: number): Promise<Reading[]> {
    end = seq;
    return readings;
  },
};

/** What `read` has begun, and the event at which it ends. */
let readings: Promise<Reading[]> = Promise.resolve([]);
let end = 0;

export type SwarmMethods = typeof methods;

serveCalls(methods);

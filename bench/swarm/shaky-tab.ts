import { clock, sleep } from '../process/clock.ts';
import { RawSocket } from './socket.ts';

/** How long a connection lasts and is away, in ms on average: it is away three tenths of the time. */
const meanMs = { up: 70, down: 30 };

/** Frames are read whole, in bytes. */
const maxFrame = 1 << 20;

/** A session of a server. */
export interface Place {
  readonly port: number;
  readonly sessionId: string;
  /** Belongs to the log; the limit ignores it. */
  readonly epoch: string;
}

/** What one reader got. */
export interface Reading {
  /** From each attempt to connect until the tab was live, in ms. */
  readonly catchUps: readonly number[];
  readonly lost: number;
  readonly doubled: number;
}

interface Frame {
  readonly type: string;
  readonly event?: { readonly seq: number };
  /** When a log is replayed. */
  readonly events?: readonly { readonly seq: number }[];
}

/** Reads a session until it has the event `to`, over a connection that breaks off again and again, and resumes after the last event. */
export async function readShakily(place: Place, from: number, to: () => number): Promise<Reading> {
  const catchUps: number[] = [];
  let [seq, lost, doubled] = [from, 0, 0];
  const take = (next: number) => {
    if (next <= seq) doubled += 1;
    else lost += next - seq - 1;
    seq = Math.max(seq, next);
  };
  while (seq < to()) {
    const begun = clock();
    const socket = await follow(place, seq, take);
    catchUps.push(clock() - begun);
    await sleep(vary(meanMs.up));
    socket.close();
    await sleep(vary(meanMs.down));
  }
  return { catchUps, lost, doubled };
}

/** Connects, and resolves when the session is live. */
async function follow(place: Place, seq: number, take: (seq: number) => void): Promise<RawSocket> {
  const { port, sessionId, epoch } = place;
  let onLive = () => {};
  const live = new Promise<void>((resolve) => (onLive = resolve));
  const socket = new RawSocket(port, maxFrame, (bytes, start, length) => {
    const { type, event, events }: Frame = JSON.parse(bytes.toString('utf8', start, start + length));
    if (type === 'live') onLive();
    for (const { seq } of events ?? (event ? [event] : [])) take(seq);
  });
  await socket.ready;
  socket.send(JSON.stringify({ type: 'hello', protocol: 1 }));
  socket.send(JSON.stringify({ type: 'subscribe', requestId: 'subscribe', sessionId, cursor: { epoch, seq } }));
  await live;
  return socket;
}

/** Between a half and one and a half times as long. */
function vary(ms: number): number {
  return ms * (0.5 + Math.random());
}

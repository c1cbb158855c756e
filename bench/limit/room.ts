import { randomUUID } from 'node:crypto';
import type { Duplex } from 'node:stream';
import { type AskReport, type AskSpec, runAsks } from '../process/ask-run.ts';
import { clock, cpu } from '../process/clock.ts';
import { type StreamSpec, writeDeltas } from '../process/deltas.ts';
import type { Turnstile } from '../process/turnstile.ts';
import { joinFrames } from './frames.ts';
import type { Log } from './log.ts';

/** The size of an event on the wire. */
const eventBytes = 400;

/** Streamed text is merged and sent at this interval. */
const streamWindowMs = 50;

/** One log and its followers, with only the features that the yardsticks need. */
export class Room {
  readonly id = randomUUID();
  readonly key: number;
  readonly sockets = new Set<Duplex>();
  seq = 0;
  readonly #log: Log;
  readonly #waiters = new Map<string, () => void>();
  #outgoing: string[] = [];

  constructor(log: Log, key: number) {
    this.#log = log;
    this.key = key;
  }

  append(type: string, ids: object, onStored: () => void = () => {}): void {
    const seq = ++this.seq;
    const text = this.#event(seq, type, ids);
    const store = () => {
      this.#outgoing.push(`{"type":"chat_event","sessionId":"${this.id}","event":${text}}`);
      onStored();
    };
    this.#log.append({ session: this.key, seq, text, onStored: store });
  }

  /** Sends everything stored since the last flush, in one write per socket. */
  flush(): void {
    if (this.#outgoing.length === 0) return;
    const frames = joinFrames(this.#outgoing);
    this.#outgoing = [];
    for (const socket of this.sockets) socket.write(frames);
  }

  async ask(spec: AskSpec, turnstile: Turnstile): Promise<AskReport> {
    const report = await runAsks(spec, turnstile, (n) => this.#askOne(`call.${this.seq}.${n}`));
    this.append('assistant_done', {});
    return report;
  }

  askOne(): Promise<void> {
    return this.#askOne(`call.${this.seq}`);
  }

  /** First response wins. */
  answer(interactionId: string): void {
    const resolve = this.#waiters.get(interactionId);
    if (!resolve) return;
    this.#waiters.delete(interactionId);
    this.append('interaction_response', { interactionId }, resolve);
  }

  async stream(spec: StreamSpec): Promise<{ cpu: number }> {
    const cpuBefore = cpu();
    let text = '';
    let pending = '';
    let timer: NodeJS.Timeout | undefined;
    const send = () => {
      timer = undefined;
      const frame = joinFrames([
        `{"type":"stream","sessionId":"${this.id}","offset":${text.length},"text":"${pending}"}`,
      ]);
      text += pending;
      pending = '';
      for (const socket of this.sockets) socket.write(frame);
    };
    for await (const delta of writeDeltas(spec)) {
      pending += delta;
      timer ??= setTimeout(send, streamWindowMs);
    }
    clearTimeout(timer);
    if (pending) send();
    this.append('assistant_done', { text });
    return { cpu: cpu() - cpuBefore };
  }

  #askOne(interactionId: string): Promise<void> {
    return new Promise((resolve) => {
      this.append('interaction_request', { toolCallId: 'call', interactionId }, () =>
        this.#waiters.set(interactionId, resolve),
      );
    });
  }

  #event(seq: number, type: string, ids: object): string {
    const text = JSON.stringify({ seq, sessionId: this.id, timestamp: clock(), type, payload: ids, pad: '' });
    return `${text.slice(0, -2)}${'x'.repeat(Math.max(0, eventBytes - text.length))}"}`;
  }
}

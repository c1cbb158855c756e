import type { ServerFrame } from '@parleyhq/core';
import { assertFrame } from './assert-frame.ts';

/** One server-sent event; comments are events without data. */
interface SentEvent {
  readonly id?: string;
  readonly event?: string;
  readonly data?: string;
}

const patienceMs = Number(process.env.PATIENCE_MS ?? 30_000);

/** A raw reader of `/api/stream`, like curl or a browser's EventSource. */
export class EventStream {
  readonly sent: SentEvent[] = [];
  readonly #ended = new AbortController();
  #wake = () => {};
  isOver = false;

  /** Opens a stream. @throws Error if the request is refused */
  static async open(url: string, headers: Record<string, string> = {}): Promise<EventStream> {
    const stream = new EventStream();
    const response = await fetch(url, { headers, signal: stream.#ended.signal });
    if (!response.ok || !response.body) throw new Error(`${response.status} ${await response.text()}`);
    void stream.#read(response.body.pipeThrough(new TextDecoderStream()));
    return stream;
  }

  get frames(): readonly ServerFrame[] {
    return this.sent.flatMap(({ event, data }) => {
      if (event !== undefined || data === undefined) return [];
      const frame: unknown = JSON.parse(data);
      assertFrame(frame);
      return [frame];
    });
  }

  /** Returns the name of the connection, for the header of requests. */
  async connection(): Promise<{ 'Parley-Connection': string }> {
    const welcome = await this.frame('welcome');
    return { 'Parley-Connection': String((welcome as { connectionId: string }).connectionId) };
  }

  /** Waits for the first frame of a type. */
  async frame(type: ServerFrame['type']): Promise<ServerFrame> {
    const find = () => this.frames.find((frame) => frame.type === type);
    await this.until(() => find() !== undefined);
    return find() as ServerFrame;
  }

  /** Waits until the server closes it. @returns the code and reason */
  async closed(): Promise<unknown> {
    await this.until(() => this.isOver);
    return this.sent.filter(({ event }) => event === 'close').map(({ data }) => JSON.parse(data ?? ''))[0];
  }

  close(): void {
    this.#ended.abort();
  }

  until(holds: () => boolean): Promise<void> {
    if (holds()) return Promise.resolve();
    return new Promise((resolve, reject) => {
      const said = () => this.sent.map(({ data = '' }) => data.slice(0, 200)).join('\n');
      const timer = setTimeout(() => reject(new Error(`it did not come; what came:\n${said()}`)), patienceMs);
      this.#wake = () => {
        if (!holds()) return;
        clearTimeout(timer);
        resolve();
      };
    });
  }

  async #read(texts: ReadableStream<string>): Promise<void> {
    let rest = '';
    try {
      for await (const text of texts) {
        const events = (rest + text).split('\n\n');
        rest = events.pop() ?? '';
        this.sent.push(...events.map(readEvent));
        this.#wake();
      }
    } catch {
      // it was cut off
    }
    this.isOver = true;
    this.#wake();
  }
}

function readEvent(text: string): SentEvent {
  const members = text.split('\n').map((line) => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 2)]);
  return Object.fromEntries(members.filter(([name]) => name !== ''));
}

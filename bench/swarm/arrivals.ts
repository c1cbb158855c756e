import { clock } from '../process/clock.ts';

const capacity = 1 << 20;

export type Marked = 'interaction_request' | 'interaction_response' | 'assistant_done';

/** Records when the last of `tabs` tabs received each event and each frame of streamed text. */
export class Arrivals {
  readonly #tabs: number;
  readonly #seen = new Uint16Array(capacity);
  readonly #at = new Float64Array(capacity);
  readonly #marks = new Map<Marked, number[]>();
  readonly #stamps = new Map<number, number>();
  #delays: number[] = [];
  #onEvent = () => {};
  /** The time at which the last answer was sent. */
  answeredAt = 0;
  /** Called when the last tab has received a response. */
  onResponse = () => {};

  constructor(tabs: number) {
    this.#tabs = tabs;
  }

  /** The one tab that parses reports the type of an event. */
  mark(type: Marked, seq: number): void {
    const seqs = this.#marks.get(type) ?? [];
    this.#marks.set(type, seqs);
    seqs.push(seq);
  }

  event(seq: number): void {
    const seen = (this.#seen[seq] as number) + 1;
    this.#seen[seq] = seen;
    if (seen !== this.#tabs) return;
    this.#at[seq] = clock();
    if (this.#marks.get('interaction_response')?.at(-1) === seq) this.onResponse();
    this.#onEvent();
  }

  /** A frame of streamed text whose oldest delta was written at `stamp` (µs). */
  streamed(stamp: number): void {
    const seen = (this.#stamps.get(stamp) ?? 0) + 1;
    if (seen < this.#tabs) this.#stamps.set(stamp, seen);
    else {
      this.#stamps.delete(stamp);
      this.#delays.push(clock() - stamp / 1000);
    }
  }

  /** Resolves with the times at which all tabs had received each of the next `count` marked events. */
  async take(type: Marked, count: number): Promise<Float64Array> {
    const isThere = () => {
      const seqs = this.#marks.get(type) ?? [];
      return seqs.length >= count && (this.#at[seqs[count - 1] as number] as number) > 0;
    };
    while (count > 0 && !isThere()) await new Promise<void>((resolve) => (this.#onEvent = resolve));
    return Float64Array.from(this.#marks.get(type)?.splice(0, count) ?? [], (seq) => this.#at[seq] as number);
  }

  takeDelays(): Float64Array {
    const delays = Float64Array.from(this.#delays);
    this.#delays = [];
    return delays;
  }
}

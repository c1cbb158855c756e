/** Keeps the last bytes of an output of any length. */
export class Tail {
  readonly #limit: number;
  #kept = Buffer.alloc(0);
  #cutBytes = 0;

  constructor(limit: number) {
    this.#limit = limit;
  }

  add(text: string): void {
    const all = Buffer.concat([this.#kept, Buffer.from(text)]);
    const start = findStart(all, all.length - this.#limit);
    this.#kept = all.subarray(start);
    this.#cutBytes += start;
  }

  get text(): string {
    return this.#kept.toString('utf8');
  }

  /** Number of bytes that were dropped before the text. */
  get cutBytes(): number {
    return this.#cutBytes;
  }
}

/** Returns the start of the first whole character at or after `offset`: continuation bytes in UTF-8 are 10xxxxxx. */
function findStart(bytes: Buffer, offset: number): number {
  let start = Math.max(0, offset);
  while (start > 0 && start < bytes.length && ((bytes[start] ?? 0) & 0xc0) === 0x80) start += 1;
  return start;
}

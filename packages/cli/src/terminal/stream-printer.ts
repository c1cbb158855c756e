import { layOut, type OutputStyle, type StyledText } from './styled-text.ts';

/** A text that is being streamed, as far as it has arrived. */
export interface StreamedText {
  readonly key: string;
  readonly piece: StyledText;
}

/** A text whose printing has begun: its rows so far, and those already printed. */
interface Begun {
  readonly paper: OutputStyle;
  rows: readonly string[];
  printed: readonly string[];
}

export interface StreamOutput {
  /** Width and colours for texts that begin now. */
  readonly paper: OutputStyle;
  print(rows: readonly string[]): void;
  /** Shows the incomplete last row, or nothing if it is empty. */
  setTail(row: string): void;
}

/** Prints texts while they are streamed, one after the other and row by row: a row is final once the next one has begun. */
export class StreamPrinter {
  readonly #output: StreamOutput;
  readonly #begun = new Map<string, Begun>();

  constructor(output: StreamOutput) {
    this.#output = output;
  }

  /** Call with all texts that are being streamed. */
  update(writings: readonly StreamedText[]): void {
    for (const { key, piece } of writings) {
      const begun = this.#begun.get(key) ?? { paper: this.#output.paper, rows: [], printed: [] };
      begun.rows = layOut(piece, begun.paper);
      this.#begun.set(key, begun);
    }
    this.#advance();
  }

  /** Prints the rest of a text that is complete. @returns false if its printing had not begun: then the caller prints it */
  finish(key: string, piece?: StyledText): boolean {
    const begun = this.#begun.get(key);
    if (!begun) return false;
    this.#begun.delete(key);
    const rows = piece ? layOut(piece, begun.paper) : begun.rows;
    const stands = begun.printed.every((row, n) => row === rows[n]); // false if the agent started over
    this.#output.setTail('');
    this.#output.print(stands ? rows.slice(begun.printed.length) : rows);
    this.#advance();
    return true;
  }

  /** Prints the rest of all texts, because no more will arrive. */
  finishAll(): void {
    for (const key of [...this.#begun.keys()]) this.finish(key);
  }

  #advance(): void {
    const [current] = this.#begun.values();
    this.#output.setTail(current?.rows.at(-1) ?? '');
    if (!current) return;
    const standing = current.rows.slice(0, -1);
    const more = standing.slice(current.printed.length);
    if (more.length === 0) return;
    current.printed = standing;
    this.#output.print(more);
  }
}

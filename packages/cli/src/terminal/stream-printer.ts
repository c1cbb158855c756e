import { layOut, type Paper, type Piece } from './piece.ts';

/** A text that is being written, as far as it has come. */
export interface Writing {
  readonly key: string;
  readonly piece: Piece;
}

/** What has been printed of it. */
interface Begun {
  readonly paper: Paper;
  rows: readonly string[];
  printed: readonly string[];
}

export interface StreamOutput {
  /** The paper of texts that begin now. */
  readonly paper: Paper;
  print(rows: readonly string[]): void;
  /** The row that is being written, or nothing. */
  setTail(row: string): void;
}

/** Prints texts while they are written, one after the other and row by row: a row stands once the next one has begun. */
export class StreamPrinter {
  readonly #output: StreamOutput;
  readonly #begun = new Map<string, Begun>();

  constructor(output: StreamOutput) {
    this.#output = output;
  }

  /** Call with all that is being written. */
  update(writings: readonly Writing[]): void {
    for (const { key, piece } of writings) {
      const begun = this.#begun.get(key) ?? { paper: this.#output.paper, rows: [], printed: [] };
      begun.rows = layOut(piece, begun.paper);
      this.#begun.set(key, begun);
    }
    this.#advance();
  }

  /** Prints what is left of a text that is whole now. @returns whether it had begun; else it is still to be printed */
  finish(key: string, piece?: Piece): boolean {
    const begun = this.#begun.get(key);
    if (!begun) return false;
    this.#begun.delete(key);
    const rows = piece ? layOut(piece, begun.paper) : begun.rows;
    const stands = begun.printed.every((row, n) => row === rows[n]); // not where the agent started over
    this.#output.setTail('');
    this.#output.print(stands ? rows.slice(begun.printed.length) : rows);
    this.#advance();
    return true;
  }

  /** Prints what is left of all: nothing more comes. */
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

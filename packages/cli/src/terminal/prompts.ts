import { type CANCEL_SYMBOL, confirm, isCancel, multiline, multiselect, password, select, text } from '@clack/prompts';
import { toLine } from '../io/line.ts';
import { paperOf, setIn } from './styled-text.ts';

/** The question ended without an answer: the person pressed Esc or Ctrl-C, or it was settled elsewhere. */
export class LeftError extends Error {
  override readonly name = 'LeftError';
}

export interface Choice<Value> {
  readonly value: Value;
  readonly label: string;
  readonly hint?: string | undefined;
}

interface Line {
  readonly message: string;
  /** The initial text. The terminal receives it as if it had been typed, so it must be free of control characters. */
  readonly initial?: string | undefined;
  readonly placeholder?: string | undefined;
  /** Returns what is wrong with the value, if anything. */
  readonly check?: (value: string) => string | undefined;
}

/** Asks questions at a terminal. Every method throws a LeftError if the question ends without an answer. */
export class Prompts {
  readonly #signal: AbortSignal;

  /** @param signal - aborts when the answers are no longer needed */
  constructor(signal: AbortSignal) {
    this.#signal = signal;
  }

  askText(line: Line): Promise<string> {
    return this.#take(text(this.#optionsOf(line)));
  }

  /** Asks for several lines; an empty one ends them. */
  askLines(line: Line): Promise<string> {
    return this.#take(multiline(this.#optionsOf(line)));
  }

  /** Asks for a secret, which is shown as dots. */
  askSecret({ message, check = () => undefined }: Line): Promise<string> {
    const options = { message: show(message), validate: (value = '') => check(value) };
    return this.#take(password({ ...options, signal: this.#signal, clearOnError: true }));
  }

  askYesNo(message: string, isYes: boolean): Promise<boolean> {
    return this.#take(confirm({ message: show(message), initialValue: isYes, vertical: true, signal: this.#signal }));
  }

  async choose<Value>(message: string, choices: readonly Choice<Value>[], initial?: number): Promise<Value> {
    const options = { message: show(message), options: toOptions(choices), signal: this.#signal };
    const n = await this.#take(select<number>({ ...options, ...(initial !== undefined && { initialValue: initial }) }));
    return (choices[n] as Choice<Value>).value;
  }

  async chooseSeveral<Value>(
    message: string,
    choices: readonly Choice<Value>[],
    initial: readonly number[],
  ): Promise<Value[]> {
    const options = { message: show(message), options: toOptions(choices), signal: this.#signal };
    const chosen = await this.#take(multiselect<number>({ ...options, initialValues: initial, required: false }));
    return chosen.map((n) => (choices[n] as Choice<Value>).value);
  }

  #optionsOf({ message, initial = '', placeholder, check = () => undefined }: Line) {
    return {
      message: show(message),
      initialValue: initial,
      validate: (value = '') => check(value),
      signal: this.#signal,
      ...(placeholder !== undefined && { placeholder: toLine(placeholder).trimEnd() }),
    };
  }

  /** Whether the answers are no longer needed. */
  get isOver(): boolean {
    return this.#signal.aborted;
  }

  async #take<Value>(asking: Promise<Value | typeof CANCEL_SYMBOL>): Promise<Value> {
    const value = await asking;
    if (isCancel(value)) throw new LeftError();
    return value;
  }
}

/** How many columns the library needs for its own marks. */
const marks = 6;

function show(message: string): string {
  return setIn(message, paperOf(process.stdout).columns - marks);
}

/** Makes options whose values are indexes, so that text from others is only a label. */
function toOptions(choices: readonly Choice<unknown>[]) {
  return choices.map(({ label, hint }, value) => ({
    value,
    label: toLine(label).trimEnd(),
    ...(hint !== undefined && { hint: toLine(hint).trimEnd() }),
  }));
}

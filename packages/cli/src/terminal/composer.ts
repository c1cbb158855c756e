import { clearScreenDown, createInterface, cursorTo, type Interface, moveCursor } from 'node:readline';

export interface ComposerHandlers {
  /** Receives an entered line; lines that were pasted at once are one text. */
  onText(text: string): void;
  /** Called on Ctrl-C if the line is empty. */
  onInterrupt(): void;
  /** Called on Ctrl-D, or if the terminal was closed. */
  onEnd(): void;
}

/** A line editor at the bottom of a terminal, below whatever is printed. */
export class Composer {
  readonly #input: NodeJS.ReadStream;
  readonly #output: NodeJS.WriteStream;
  readonly #handlers: ComposerHandlers;
  #editor: Interface | undefined;
  #history: string[] = [];
  #draft = '';
  #status = '';
  #held: string[] = [];
  #pasted: string[] = [];

  constructor(input: NodeJS.ReadStream, output: NodeJS.WriteStream, handlers: ComposerHandlers) {
    this.#input = input;
    this.#output = output;
    this.#handlers = handlers;
  }

  /** Whether nothing has been typed. */
  get isEmpty(): boolean {
    return (this.#editor?.line ?? this.#draft) === '';
  }

  open(): void {
    const editor = createInterface({
      input: this.#input,
      output: this.#output,
      history: this.#history,
      historySize: 200,
    });
    this.#editor = editor;
    editor.on('line', (line) => {
      editor.prompt(); // on a new line, so that the editor's position is known
      this.#take(line);
    });
    editor.on('history', (history) => {
      this.#history = history;
    });
    editor.on('SIGINT', () => {
      if (this.isEmpty) this.#handlers.onInterrupt();
      else clearLine(editor);
    });
    editor.on('close', () => {
      if (this.#editor !== editor) return;
      this.#erase(editor);
      this.#editor = undefined; // drawing a closed editor would resume reading from the terminal
      this.#handlers.onEnd();
    });
    for (const line of this.#held.splice(0)) this.#output.write(`${line}\n`);
    editor.setPrompt(this.#prompt);
    editor.prompt();
    editor.write(this.#draft);
    this.#draft = '';
  }

  /** Releases the terminal to other prompts; output is held back until `flush` or `open`. */
  close(): void {
    const editor = this.#editor;
    if (!editor) return;
    this.#draft = editor.line;
    this.#erase(editor);
    this.#editor = undefined;
    editor.close();
  }

  flush(): void {
    for (const line of this.#held.splice(0)) this.#output.write(`${line}\n`);
  }

  /** Prints lines above the editor. */
  print(lines: readonly string[]): void {
    const editor = this.#editor;
    if (!editor) {
      this.#held.push(...lines);
      return;
    }
    const rows = this.#erase(editor);
    this.#output.write(lines.map((line) => `${line}\n`).join(''));
    this.#draw(editor, rows);
  }

  /** Sets the status row between the output and the editor. */
  setStatus(status: string): void {
    if (status === this.#status) return;
    const editor = this.#editor;
    const rows = editor ? this.#erase(editor) : 0;
    this.#status = status;
    if (editor) this.#draw(editor, rows);
  }

  get #prompt(): string {
    return this.#status === '' ? '> ' : `${this.#status}\n> `;
  }

  /** Erases the editor. @returns the number of its rows above the cursor */
  #erase(editor: Interface): number {
    const { rows } = editor.getCursorPos();
    moveCursor(this.#output, 0, -rows);
    cursorTo(this.#output, 0);
    clearScreenDown(this.#output);
    return rows;
  }

  /** Draws the editor. It first moves up by the number of rows that it had before, so these are added. */
  #draw(editor: Interface, rows: number): void {
    this.#output.write('\n'.repeat(rows));
    editor.setPrompt(this.#prompt);
    editor.prompt(true);
  }

  #take(line: string): void {
    this.#pasted.push(line);
    if (this.#pasted.length > 1) return;
    setImmediate(() => this.#handlers.onText(this.#pasted.splice(0).join('\n')));
  }
}

function clearLine(editor: Interface): void {
  editor.write(null, { ctrl: true, name: 'e' });
  editor.write(null, { ctrl: true, name: 'u' });
}

import { type ChildProcess, spawn } from 'node:child_process';
import xterm from '@xterm/headless';
import { onTestFinished } from 'vitest';
import { mainPath } from '../../../server/test/support/server-process.ts';

interface TerminalOptions {
  readonly columns?: number;
  readonly rows?: number;
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
}

/** How long a test waits for something on the screen, in ms. */
const patienceMs = Number(process.env.PATIENCE_MS ?? 30_000);

export const keys = {
  enter: '\r',
  escape: '\u001b',
  down: '\u001b[B',
  interrupt: '\u0003',
  end: '\u0004',
  eraseLine: '\u0015',
  tab: '\t',
} as const;

/** A program in a pseudo-terminal, and the screen that a person sees. */
export class Terminal {
  /** All output of the program, including escape sequences. */
  raw = '';
  readonly #child: ChildProcess;
  readonly #screen: xterm.Terminal;
  readonly #watchers = new Set<() => void>();
  #exitCode: number | undefined;

  private constructor(
    file: string,
    words: readonly string[],
    { columns = 80, rows = 24, env = {}, cwd }: TerminalOptions,
  ) {
    const { NO_COLOR: _, FORCE_COLOR: __, ...own } = process.env;
    this.#screen = new xterm.Terminal({ cols: columns, rows, scrollback: 1000, allowProposedApi: true });
    const command = [file, ...words].map((word) => `'${word.replaceAll("'", "'\\''")}'`).join(' ');
    const options = { env: { ...own, TERM: 'xterm-256color', SHELL: '/bin/sh', ...env }, cwd };
    const sized = `stty cols ${columns} rows ${rows}; exec ${command}`;
    this.#child = spawn('script', ['-qfec', sized, '/dev/null'], options); // util-linux `script`
    this.#child.stdout?.setEncoding('utf8').on('data', (data: string) => {
      this.raw += data;
      this.#screen.write(data, () => this.#wake());
    });
    this.#screen.onData((reply) => this.#child.stdin?.write(reply)); // to a query, such as that of the cursor's position
    this.#child.on('close', (exitCode) => {
      this.#exitCode = exitCode ?? -1;
      this.#screen.write('', () => this.#wake());
    });
    onTestFinished(() => this.close());
  }

  /** Runs `parley` until it ends or the test does. */
  static open(words: readonly string[], options: TerminalOptions = {}): Terminal {
    return new Terminal(process.execPath, [mainPath, ...words], options);
  }

  /** Runs another program. */
  static run(file: string, words: readonly string[], options: TerminalOptions = {}): Terminal {
    return new Terminal(file, words, options);
  }

  /** The rows of the screen and its scrollback, without empty ones at the end. */
  get text(): string {
    const { active } = this.#screen.buffer;
    const rows = Array.from({ length: active.length }, (_, n) => active.getLine(n)?.translateToString(true) ?? '');
    return rows.join('\n').trimEnd();
  }

  type(...typed: readonly string[]): void {
    for (const text of typed) this.#child.stdin?.write(text);
  }

  /** Waits until the words are on the screen. */
  shows(words: string | RegExp): Promise<void> {
    const isShown = () => (typeof words === 'string' ? this.text.includes(words) : words.test(this.text));
    return this.#until(isShown, String(words));
  }

  /** Waits until the text ends with the words, so that a form or a line is ready. */
  endsWith(words: string | RegExp): Promise<void> {
    const isLast = () => (typeof words === 'string' ? this.text.endsWith(words) : words.test(this.text.slice(-400)));
    return this.#until(isLast, `${words} at the end`);
  }

  /** Waits until the program ends. @returns its exit code */
  async end(): Promise<number> {
    await this.#until(() => this.#exitCode !== undefined, 'end');
    return this.#exitCode ?? -1;
  }

  /** Ends the program, if it still runs. */
  async close(): Promise<void> {
    if (this.#exitCode !== undefined) return;
    this.#child.kill('SIGKILL');
    await this.end();
  }

  #wake(): void {
    for (const watcher of [...this.#watchers]) watcher();
  }

  #until(test: () => boolean, what: string): Promise<void> {
    if (test()) return Promise.resolve();
    return new Promise((resolve, reject) => {
      const timer = setTimeout(
        () => settle(() => reject(new Error(`no ${what}; the screen:\n${this.text}`))),
        patienceMs,
      );
      const watcher = () => {
        if (test()) settle(resolve);
      };
      const settle = (end: () => void) => {
        clearTimeout(timer);
        this.#watchers.delete(watcher);
        end();
      };
      this.#watchers.add(watcher);
    });
  }
}

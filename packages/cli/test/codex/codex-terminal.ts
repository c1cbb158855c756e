import { mkdir, mkdtemp, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'vitest';
import { Terminal } from '../support/terminal.ts';

/** The folder in which `npm run test:clients` has installed Codex. */
const bin = join(process.env.PARLEY_CODEX as string, 'node_modules/.bin');

/** Codex in a terminal, with a home folder for its settings. */
export class CodexTerminal {
  readonly #home: string;
  #terminal: Terminal | undefined;

  private constructor(home: string) {
    this.#home = home;
  }

  static async make(modelUrl: string): Promise<CodexTerminal> {
    const home = await realpath(await mkdtemp(join(tmpdir(), 'parley-test-')));
    const terminal = new CodexTerminal(home);
    await mkdir(terminal.folder);
    await mkdir(join(home, '.codex'));
    await writeFile(terminal.settings, settingsOf(modelUrl, terminal.folder));
    return terminal;
  }

  get settings(): string {
    return join(this.#home, '.codex/config.toml');
  }

  /** The working directory. */
  get folder(): string {
    return join(this.#home, 'work');
  }

  get environment(): Record<string, string> {
    const PATH = `${bin}:${process.env.PATH}`;
    return { PATH, HOME: this.#home, SHELL: '/bin/bash', TERM: 'xterm-256color', MODEL_KEY: 'a key' };
  }

  open(): void {
    const options = { columns: 120, rows: 40, cwd: this.folder, env: this.environment };
    this.#terminal = Terminal.run('codex', ['Go on'], options);
  }

  /** Types a key until the words are shown. */
  type(key: string, words: RegExp): Promise<void> {
    const again = this.#typeAgain(key);
    const typed = () => {
      again();
      return this.#shown;
    };
    return expect.poll(typed, { interval: 200 }).toMatch(words);
  }

  /** Types a key until the event arrives: what Codex shows then may be gone before it is read, if the key is typed once more. */
  async typeUntil<Event>(key: string, event: Promise<Event>): Promise<Event> {
    const again = this.#typeAgain(key);
    const timer = setInterval(again, 200);
    try {
      return await event;
    } finally {
      clearInterval(timer);
    }
  }

  /** Types the key after longer and longer pauses: a dialog ignores keys until none has come for a while. */
  #typeAgain(key: string): () => void {
    let pause = 2500;
    let next = 0;
    return () => {
      if (Date.now() < next) return;
      this.#terminal?.type(key);
      pause = Math.min(2 * pause, 10_000);
      next = Date.now() + pause;
    };
  }

  /** Waits until the words are shown. */
  shows(words: RegExp): Promise<void> {
    return expect.poll(() => this.#shown).toMatch(words);
  }

  /**
   * The screen, and after it all output so far, for what is no longer on it. The output lacks spaces and letters where Codex moves
   * the cursor over what is there already.
   */
  get #shown(): string {
    const { text = '', raw = '' } = this.#terminal ?? {};
    return `${text} ${raw.replace(escapes, ' ')}`.replace(/\s+/g, ' ');
  }

  async close(): Promise<void> {
    await this.#terminal?.close();
  }

  async remove(): Promise<void> {
    await this.close();
    for (const daemon of ['daemon-updater', 'daemon']) await this.#end(daemon);
    await rm(this.#home, { recursive: true, force: true, maxRetries: 20 });
  }

  /** Ends a daemon that Codex has left running. */
  async #end(daemon: string): Promise<void> {
    const file = join(this.#home, '.codex/app-server-daemon', `${daemon}.pid`);
    const text = await readFile(file, 'utf8').catch(() => undefined); // none was started
    if (text === undefined) return;
    const { pid } = JSON.parse(text) as { pid: number };
    try {
      process.kill(pid, 'SIGKILL');
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
    }
  }
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: what terminals obey begins with one
const escapes = /\x1b\][^\x07\x1b]*(\x07|\x1b\\)|\x1b\[[0-9;?<>=]*[ -/]*[A-Za-z]/g;

function settingsOf(modelUrl: string, folder: string): string {
  return `# A person's comment, which must be kept.
model = "gpt-5"
model_provider = "fake"
approval_policy = "on-request"
sandbox_mode = "read-only"
check_for_update_on_startup = false

[analytics]
enabled = false

[model_providers.fake]
name = "fake"
base_url = "${modelUrl}"
wire_api = "responses"
env_key = "MODEL_KEY"
request_max_retries = 0
stream_max_retries = 0

[projects."${folder}"]
trust_level = "trusted"
`;
}

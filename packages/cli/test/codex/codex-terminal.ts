import { type ChildProcess, spawn } from 'node:child_process';
import { mkdir, mkdtemp, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'vitest';

/** The folder in which `npm run test:clients` has installed Codex. */
const bin = join(process.env.PARLEY_CODEX as string, 'node_modules/.bin');

/** Codex in a pseudo-terminal, made by util-linux `script`, with a home folder for its settings. */
export class CodexTerminal {
  readonly #home: string;
  #child: ChildProcess | undefined;
  #output = '';

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
    this.#output = '';
    const options = { cwd: this.folder, env: this.environment };
    const child = spawn('script', ['-qfec', "stty cols 120 rows 40; exec codex 'Go on'", '/dev/null'], options);
    child.stdout.on('data', (chunk) => {
      this.#output += String(chunk);
      if (String(chunk).includes('\x1b[6n')) child.stdin.write('\x1b[1;1R'); // answers a query of the cursor position
    });
    this.#child = child;
  }

  /** Types a key until the words are shown, because a dialog ignores keys right after it has opened. */
  type(key: string, words: RegExp): Promise<void> {
    const typed = () => {
      this.#child?.stdin?.write(key);
      return this.#shown;
    };
    return expect.poll(typed, { interval: 500 }).toMatch(words);
  }

  /** Waits until the words are shown. */
  shows(words: RegExp): Promise<void> {
    return expect.poll(() => this.#shown).toMatch(words);
  }

  /** All output so far. Spaces may be missing, because Codex moves the cursor instead. */
  get #shown(): string {
    return this.#output.replace(escapes, ' ').replace(/\s+/g, ' ');
  }

  async close(): Promise<void> {
    const child = this.#child;
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    const ended = new Promise((resolve) => child.once('close', resolve));
    child.kill('SIGKILL');
    await ended;
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

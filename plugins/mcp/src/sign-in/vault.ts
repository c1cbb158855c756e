import { randomUUID } from 'node:crypto';
import { mkdir, open, readdir, readFile, rename, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import type { OAuthDiscoveryState, StoredOAuthClientInformation, StoredOAuthTokens } from '../connection.ts';

/** A sign-in that somebody was asked for: what must still be known when their browser comes back. */
export interface Attempt {
  /** In ms since 1970. */
  readonly begunAt: number;
  readonly redirectUrl: string;
  client?: StoredOAuthClientInformation;
  /** Which authorisation server was asked: an answer of another one is none (RFC 9207). */
  discovery?: OAuthDiscoveryState;
  /** PKCE: without it the code that the browser brings is worth nothing. */
  verifier?: string;
  tokens?: StoredOAuthTokens;
}

/** Parley as it was registered at an authorisation server, for this way back. */
interface Registration {
  readonly redirectUrl: string;
  readonly information: StoredOAuthClientInformation;
}

/** What is kept for one server at one address. */
export interface Kept {
  /** The client that the tokens were given to: only it renews them. */
  readonly client?: Registration;
  /** The newest one, for whoever signs in next. */
  readonly registered?: Registration;
  readonly tokens?: StoredOAuthTokens;
  /** Of the authorisation server that gave the tokens. */
  readonly discovery?: OAuthDiscoveryState;
  /** By a hash of their `state`. */
  readonly attempts?: Readonly<Record<string, Attempt>>;
}

/** A file that only this user reads (SEC8): tokens are in no session, no log and no export. */
export class Vault {
  readonly #file: string;
  #kept: Kept | undefined;
  #tail: Promise<unknown> = Promise.resolve();

  constructor(file: string) {
    this.#file = file;
  }

  /** @throws Error where the file is there and cannot be read */
  async read(): Promise<Kept> {
    this.#kept ??= await this.#open();
    return this.#kept;
  }

  /** The first time; what a kill left half written goes. */
  async #open(): Promise<Kept> {
    await removeDrafts(this.#file);
    return readKept(this.#file);
  }

  /** Changes follow one another, and each is on the disk once it resolves. @throws Error where it cannot be written */
  change(change: (kept: Kept) => Kept): Promise<void> {
    const done = this.#tail.then(async () => {
      const next = change(await this.read());
      await writeWhole(this.#file, JSON.stringify(next));
      this.#kept = next;
    });
    this.#tail = done.catch(() => undefined); // told to whoever asked for it
    return done;
  }
}

async function readKept(file: string): Promise<Kept> {
  try {
    return JSON.parse(await readFile(file, 'utf8')) as Kept;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return {};
    throw error;
  }
}

/** They hold tokens, too. */
async function removeDrafts(file: string): Promise<void> {
  const names = await readdir(dirname(file)).catch(() => []); // there is none before the first sign-in
  const drafts = names.filter((name) => name.startsWith(`${basename(file)}.`));
  await Promise.all(drafts.map((name) => rm(join(dirname(file), name), { force: true })));
}

/** A kill leaves the file as it was, or as it is to be. */
async function writeWhole(file: string, text: string): Promise<void> {
  await mkdir(dirname(file), { recursive: true, mode: 0o700 });
  const draft = `${file}.${randomUUID()}`;
  const handle = await open(draft, 'wx', 0o600);
  try {
    await handle.writeFile(text);
    await handle.sync();
  } finally {
    await handle.close();
  }
  await rename(draft, file);
}

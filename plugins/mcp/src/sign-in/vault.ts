import { randomUUID } from 'node:crypto';
import { mkdir, open, readdir, readFile, rename, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import type { OAuthDiscoveryState, StoredOAuthClientInformation, StoredOAuthTokens } from '../connection.ts';

/** The state of a sign-in that is needed when the person's browser comes back. */
export interface Attempt {
  /** In ms since 1970. */
  readonly begunAt: number;
  readonly redirectUrl: string;
  client?: StoredOAuthClientInformation;
  /** The authorisation server of this attempt: a response of another one is rejected (RFC 9207). */
  discovery?: OAuthDiscoveryState;
  /** PKCE verifier, without which the browser's code cannot be redeemed. */
  verifier?: string;
  tokens?: StoredOAuthTokens;
}

/** Parley's registration as a client of an authorisation server, with the redirect URL that was registered. */
interface Registration {
  readonly redirectUrl: string;
  readonly information: StoredOAuthClientInformation;
}

/** The data stored for one server at one address. */
export interface Kept {
  /** The client to which the tokens were issued: only it can renew them. */
  readonly client?: Registration;
  /** The newest registration, for the next sign-in. */
  readonly registered?: Registration;
  readonly tokens?: StoredOAuthTokens;
  /** Metadata of the authorisation server that issued the tokens. */
  readonly discovery?: OAuthDiscoveryState;
  /** Attempts by a hash of their `state`. */
  readonly attempts?: Readonly<Record<string, Attempt>>;
}

/** A file with tokens that only the current user can read (SEC8). Tokens are in no session, log or export. */
export class Vault {
  readonly #file: string;
  #kept: Kept | undefined;
  #tail: Promise<unknown> = Promise.resolve();

  constructor(file: string) {
    this.#file = file;
  }

  /** @throws Error if the file exists but cannot be read */
  async read(): Promise<Kept> {
    this.#kept ??= await this.#open();
    return this.#kept;
  }

  /** Reads the file for the first time, and removes drafts that a kill left behind. */
  async #open(): Promise<Kept> {
    await removeDrafts(this.#file);
    return readKept(this.#file);
  }

  /** Applies a change after all earlier ones. Resolves once it is on disk. @throws Error if the file cannot be written */
  change(change: (kept: Kept) => Kept): Promise<void> {
    const done = this.#tail.then(async () => {
      const next = change(await this.read());
      await writeWhole(this.#file, JSON.stringify(next));
      this.#kept = next;
    });
    this.#tail = done.catch(() => undefined); // reported to the caller of that change
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

/** Removes drafts of the file, because they contain tokens, too. */
async function removeDrafts(file: string): Promise<void> {
  const names = await readdir(dirname(file)).catch(() => []); // the folder does not exist before the first sign-in
  const drafts = names.filter((name) => name.startsWith(`${basename(file)}.`));
  await Promise.all(drafts.map((name) => rm(join(dirname(file), name), { force: true })));
}

/** Writes the file atomically: a kill leaves either the old or the new content. */
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

import { isRecord, type Json, maxViewData, type PluginState, type View } from '@parleyhq/core';
import { type AppPage, type Content, namePage, readAppPage } from './app-page.ts';

/** The pages of all servers by name, as the plugin offers them to its requests. */
export type Views = Record<string, View>;

export interface AppPagesHost {
  /** Name of the server. */
  readonly server: string;
  readonly views: Views;
  readonly state: PluginState;
  /** Reads a resource of the server. @throws what the SDK throws */
  read(uri: string): Promise<readonly Content[]>;
  onFault(words: string): void;
}

/** A view as a request names it. */
export interface NamedView {
  readonly name: string;
  readonly data: Json;
}

/** How long a request waits for a page, in ms. After that it is asked without the page. */
const patienceMs = 5000;
/** The maximum number of pages kept of one server: an older prompt then no longer shows its page. */
const maxPages = 32;

/** Pages of one server that show calls of its tools (AGT4). Each is read when it is first needed, once per connection. */
export class AppPages {
  readonly #host: AppPagesHost;
  /** Names of pages by address; undefined for a page that cannot be shown. */
  readonly #read = new Map<string, Promise<string | undefined>>();
  /** Addresses of kept pages by name, the oldest first. */
  readonly #kept = new Map<string, string>();

  constructor(host: AppPagesHost) {
    this.#host = host;
  }

  /** Adds pages as they were last read: prompts from before a restart show them, even if their calls sleep. */
  async restore(uris: readonly string[]): Promise<void> {
    for (const uri of new Set(uris)) await this.#recall(uri);
  }

  /** Reads pages again from now on: the server may have changed them. */
  forget(): void {
    this.#read.clear();
  }

  /**
   * Returns the view of a call with these arguments. A page that cannot be read is taken as it was last read; a call whose page is
   * unknown has no view.
   */
  async show(uri: string, args: Json): Promise<NamedView | undefined> {
    if (JSON.stringify(args).length > maxViewData) return undefined;
    const reading = this.#read.get(uri) ?? this.#take(uri);
    this.#read.set(uri, reading);
    const name = await reading.catch((error: unknown) => {
      if (this.#read.get(uri) === reading) this.#read.delete(uri); // it is tried again
      this.#report(uri, `it cannot be read: ${wordsOf(error)}`);
      return this.#recall(uri);
    });
    return name === undefined ? undefined : { name, data: args };
  }

  /** Reads the page from the server. @throws what the SDK throws, or an Error once patience ends */
  async #take(uri: string): Promise<string | undefined> {
    const page = readAppPage(await within(patienceMs, this.#host.read(uri)), (words) => this.#report(uri, words));
    if (typeof page === 'string') {
      this.#report(uri, `it is not shown: ${page}`);
      return undefined;
    }
    await this.#host.state
      .set(this.#keyOf(uri), page as unknown as Json)
      .catch((error: unknown) => this.#report(uri, `it is not kept: ${wordsOf(error)}`));
    return this.#add(uri, page);
  }

  async #recall(uri: string): Promise<string | undefined> {
    const page = await this.#host.state.get(this.#keyOf(uri));
    return isRecord(page) ? this.#add(uri, page as unknown as AppPage) : undefined;
  }

  #add(uri: string, page: AppPage): string {
    const { server, views } = this.#host;
    const { html, connects, loads } = page;
    const name = namePage(server, page);
    views[name] = { html, app: { server, connects: [...connects], loads: [...loads] } };
    this.#kept.delete(name);
    this.#kept.set(name, uri);
    for (const [oldest, address] of [...this.#kept].slice(0, -maxPages)) {
      this.#kept.delete(oldest);
      this.#read.delete(address);
      delete views[oldest];
    }
    return name;
  }

  #report(uri: string, words: string): void {
    this.#host.onFault(`its page "${uri}": ${words}`);
  }

  #keyOf(uri: string): string {
    return `page:${this.#host.server}:${uri}`;
  }
}

async function within<T>(ms: number, work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const end = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`the server did not send it within ${ms} ms`)), ms);
  });
  return Promise.race([work, end]).finally(() => clearTimeout(timer));
}

function wordsOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

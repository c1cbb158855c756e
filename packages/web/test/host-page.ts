import { readFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { extname, join, normalize } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect } from 'vitest';
import { WebSocket } from 'ws';
import { connectServer, ParleyClient, type SessionClient } from '../../client/src/index.ts';
import { launchBrowser, openTab } from './browser.ts';
import { Parley } from './parley.ts';

const library = fileURLToPath(new URL('../dist/elements', import.meta.url));

const mediaTypes: Record<string, string> = {
  '.html': 'text/html',
  '.js': 'text/javascript',
  '.mjs': 'text/javascript',
};

/** What a careful page allows: only its own scripts, and a socket of the server. */
const strictPolicy = (connect: string): string =>
  [
    "default-src 'none'",
    "script-src 'self'",
    `connect-src 'self' ${connect.replace('http', 'ws')}`,
    `frame-src ${connect}`,
    "require-trusted-types-for 'script'",
    'trusted-types lit-html',
  ].join('; ');

/** Another site, which serves the library at `/parley/` and a second copy at `/copy/`. */
export class HostPage {
  /** Contents by path. */
  readonly files = new Map<string, string>();
  /** Address of the server that its pages connect to. */
  server = '';
  readonly #http: Server;

  constructor() {
    this.#http = createServer(async (request, response) => {
      const path = normalize(new URL(request.url ?? '/', 'http://host').pathname);
      const [, folder, name = ''] = path.split('/');
      const isLibrary = folder === 'parley' || folder === 'copy';
      const body = isLibrary ? await readFile(join(library, name)).catch(() => undefined) : this.files.get(path);
      response.writeHead(body === undefined ? 404 : 200, {
        'content-type': mediaTypes[extname(path)] ?? 'text/html',
        'content-security-policy': strictPolicy(this.server),
      });
      response.end(body);
    });
  }

  /** @returns its address; the server has an IP address as host, so that the two are different sites */
  async start(): Promise<string> {
    await new Promise<void>((resolve) => this.#http.listen(0, '127.0.0.1', resolve));
    return this.origin;
  }

  get origin(): string {
    return `http://localhost:${(this.#http.address() as AddressInfo).port}`;
  }

  /** Opens a page with this body, and with the library unless `options` say otherwise; an error in it fails the test. */
  async open(
    browser: Browser,
    body: string,
    head = '<script type="module" src="/parley/index.js"></script>',
  ): Promise<Page> {
    this.files.set(
      '/',
      `<!doctype html><html lang="en"><head><title>Host</title>${head}</head><body>${body}</body></html>`,
    );
    const context = await browser.newContext({ viewport: { width: 1000, height: 800 } });
    return openTab(await context.newPage(), `${this.origin}/`);
  }

  close(): void {
    this.#http.closeAllConnections();
    this.#http.close();
  }
}

/** An open prompt on the server. */
export interface Asked {
  readonly sessionId: string;
  readonly interactionId: string;
}

/** The setting that names the pages a server accepts: for elements, or for frames. */
type Permission = 'PARLEY_ALLOWED_ORIGINS' | 'PARLEY_FRAME_ANCESTORS';

/** Starts another site, a server that accepts it, and another tab of that server, for the tests of a file. */
export function useHostPage(permission: Permission = 'PARLEY_ALLOWED_ORIGINS', ...flags: string[]) {
  const host = new HostPage();
  const parley = new Parley(...flags);
  const followed = new Map<string, SessionClient>();
  let browser: Browser;
  let other: ParleyClient;

  beforeAll(async () => {
    parley.env = { [permission]: await host.start() };
    [browser] = await Promise.all([launchBrowser(), parley.start()]);
    host.server = new URL(parley.url).origin;
    other = connectTab(parley);
  });

  afterEach(async () => {
    for (const session of followed.values()) session.close();
    followed.clear();
    await Promise.all(browser.contexts().map((context) => context.close()));
  });

  afterAll(async () => {
    other.stop();
    host.close();
    await browser.close();
    await parley.stop();
  });

  return {
    host,
    parley,

    get browser(): Browser {
      return browser;
    },

    /** Another tab of the server, which can act and see the results. */
    get other(): ParleyClient {
      return other;
    },

    open: (body: string, head?: string): Promise<Page> => host.open(browser, body, head),

    /** Makes the demo agent call a tool in a new session, and waits for its prompt. */
    async ask(call: string, title = 'Trip'): Promise<Asked> {
      const { id: sessionId } = await other.createSession({ title });
      const session = other.open(sessionId);
      await session.send(`/call ${call}`);
      await expect.poll(() => session.state.head.prompts.length).toBe(1);
      const interactionId = session.state.head.prompts[0]?.request.interactionId ?? '';
      followed.set(interactionId, session);
      return { sessionId, interactionId };
    },

    /** Returns the answer that the other tab currently sees. */
    outcomeOf({ interactionId }: Asked) {
      const item = followed.get(interactionId)?.state.items.get(`interaction:${interactionId}`);
      return item?.kind === 'interaction' ? item.response?.payload : undefined;
    },
  };
}

function connectTab(parley: Parley): ParleyClient {
  const client = new ParleyClient({
    transport: connectServer(new URL(parley.url).origin, { WebSocket: WebSocket as never }),
    ...(parley.token !== null && { token: parley.token }),
  });
  client.start();
  return client;
}

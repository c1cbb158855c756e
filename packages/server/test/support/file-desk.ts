import { readFileSync } from 'node:fs';
import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { FileReference, InteractionRequest, Json, Plugin } from '@parleyhq/core';
import { openFolderFiles } from '@parleyhq/server';
import { type GuardedServer, startGuardedServer } from './guarded-server.ts';
import { Journey } from './journey.ts';
import { makeFolder } from './plugin-file.ts';

/** A tool that asks for files as its arguments say, and returns what is in them. */
const clerk: Plugin = {
  name: 'clerk',
  tools: [
    {
      name: 'ask_file',
      description: 'Asks for a file.',
      parameters: { type: 'object' },
      async handler(args, ctx) {
        const { field, ...request } = args as { field?: object };
        const fields = [{ id: 'cv', type: 'file' as const, label: 'CV', required: true, ...field }];
        const said = await ctx.requestInteraction({ type: 'input', inputSchema: { type: 'form', fields }, ...request });
        if (said.action !== 'submit') return said as unknown as Json;
        const { cv } = said.input as { cv: FileReference | FileReference[] };
        const texts = [cv].flat().map(async (file) => new Response(await ctx.openFile(file)).text());
        return Promise.all(texts);
      },
    },
  ],
};

/** The server's reply about an upload. */
export interface Told {
  readonly http: number;
  readonly headers: Headers;
  readonly fileId: string;
  readonly offset: number;
  readonly file: FileReference;
  readonly error: { readonly code: string; readonly message: string; readonly details: Json };
}

/** What is uploaded, and whose token is used. */
interface Sent {
  name?: string;
  type?: string;
  content?: string | Uint8Array<ArrayBuffer>;
  size?: number;
  as?: string;
}

/** A server that stores files, with a session and uploads of tests. */
export class FileDesk {
  readonly server: GuardedServer;
  readonly journey: Journey;
  readonly folder: string;

  private constructor(server: GuardedServer, journey: Journey, folder: string) {
    this.server = server;
    this.journey = journey;
    this.folder = folder;
  }

  static async open(plugins: readonly Plugin[] = [clerk]): Promise<FileDesk> {
    const folder = makeFolder();
    const server = await startGuardedServer({ plugins, files: openFolderFiles(folder) });
    const journey = await Journey.begin(server.local, { hello: { token: server.token } });
    return new FileDesk(server, journey, folder);
  }

  ask(args: object = {}): Promise<InteractionRequest> {
    return this.journey.ask('ask_file', args);
  }

  async request(method: string, path: string, init: RequestInit & { as?: string } = {}): Promise<Response> {
    const { as = this.server.token, headers, ...rest } = init;
    const url = `${this.server.origin}/api/sessions/${this.journey.session}${path}`;
    return fetch(url, { ...rest, method, headers: { authorization: `Bearer ${as}`, ...headers } });
  }

  async tell(method: string, path: string, init?: RequestInit & { as?: string }): Promise<Told> {
    const response = await this.request(method, path, init);
    const text = await response.text();
    const { status: http, headers } = response;
    return { ...(text === '' ? {} : JSON.parse(text)), http, headers };
  }

  /** Uploads everything at once, or announces it if there is no content. An empty field attaches it to the answer. */
  upload(
    { interactionId }: InteractionRequest,
    { field = 'cv', ...sent }: Sent & { field?: string } = {},
  ): Promise<Told> {
    return this.#begin(`/interactions/${interactionId}/files${field && `/${field}`}`, sent);
  }

  /** Uploads a file for a message, in the same way. */
  uploadForMessage(sent: Sent = {}): Promise<Told> {
    return this.#begin('/files', sent);
  }

  #begin(
    path: string,
    { name = 'cv.txt', type = 'text/plain', content = '', size = Buffer.byteLength(content), as }: Sent,
  ): Promise<Told> {
    return this.tell('POST', path, {
      ...(as !== undefined && { as }),
      headers: {
        'upload-length': String(size),
        'content-type': type,
        'content-disposition': `attachment; filename*=UTF-8''${encodeURIComponent(name)}`,
      },
      body: content,
    });
  }

  /** Continues an upload. */
  send(fileId: string, from: number, content: string, as?: string): Promise<Told> {
    const headers = { 'upload-offset': String(from), 'content-type': 'application/partial-upload' };
    return this.tell('PATCH', `/uploads/${fileId}`, { headers, body: content, ...(as !== undefined && { as }) });
  }

  look(fileId: string, as?: string): Promise<Told> {
    return this.tell('GET', `/uploads/${fileId}`, as === undefined ? {} : { as });
  }

  fetch({ interactionId }: InteractionRequest, index: number | string = 0, as?: string): Promise<Response> {
    return this.request('GET', `/interactions/${interactionId}/files/cv/${index}`, as === undefined ? {} : { as });
  }

  submit(prompt: InteractionRequest, cv: unknown): ReturnType<Journey['answer']> {
    return this.journey.submit(prompt, { cv });
  }

  /** Lists the stored files of the session. */
  async kept(): Promise<string[]> {
    return readdir(join(this.folder, this.journey.session)).catch(() => []);
  }

  /** Creates a file next to the stored ones, as a killed process leaves it. */
  async plant(name: string): Promise<void> {
    await writeFile(join(this.folder, this.journey.session, name), 'half');
  }

  /** Reads the whole database, as bytes. */
  readLog(): string {
    return JSON.stringify(this.journey.events());
  }

  readFile(name: string): string {
    return readFileSync(join(this.folder, this.journey.session, name), 'utf8');
  }
}

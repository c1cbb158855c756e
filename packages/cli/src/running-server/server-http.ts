import { uploadFile } from '@parleyhq/client';
import {
  type AnswerReply,
  type FileReference,
  type InboxEntry,
  isRecord,
  type Json,
  RefusalError,
  type Statistics,
  type WireErrorCode,
} from '@parleyhq/core';
import { explainedBy, type Topic } from '../io/topic.ts';
import { openLocalFile } from './local-file.ts';
import type { NamedServer } from './named-server.ts';
import { explainStranger, explainUnsent, NoServerError, NotParleyError } from './running-server.ts';
import { nameLocal } from './url-host.ts';

/** A call's state as the server reports it (ASK8). */
export type CallState = CallRef &
  ({ readonly status: 'open'; readonly url: string } | ({ readonly status: 'done' } & CallOutcome));

export interface CallRef {
  readonly toolCallId: string;
  readonly sessionId: string;
}

/** A call's outcome: the result of its tool, or the reason why there is none. */
export interface CallOutcome {
  readonly result?: Json;
  readonly error?: { readonly code: string; readonly message: string };
  /** False if the result has a secret that was already given to an earlier request (ASK5). */
  readonly delivered?: boolean;
}

/** A request was at least partly sent, and no answer came. */
export class LostServerError extends NoServerError {}

/** How much longer than its wait a request may take, in ms. */
const graceMs = 30_000;

/** How long a notifier test may take, in ms: as long as the server waits for a receiver. */
const testMs = 20_000;

/** How long statistics may take, in ms: the first ones count the logs of all sessions. */
const countMs = 120_000;

/** Result of a test notification for one person (NTF4). */
export interface TestResult {
  readonly target: string;
  readonly principal: string;
  readonly name?: string;
  readonly isTold: boolean;
  readonly code?: string;
  readonly fault?: string;
}

interface NotifierTest {
  readonly results: readonly TestResult[];
  /** People in the configuration for whom there is no token. */
  readonly absent: readonly string[];
}

/** Client for the HTTP API of a running server. */
export class ServerHttp {
  readonly #server: NamedServer;

  constructor(server: NamedServer) {
    this.#server = server;
  }

  begin(call: object): Promise<CallState> {
    return this.#request('POST', '/api/calls', { body: call }) as Promise<CallState>;
  }

  wait({ toolCallId }: CallRef, seconds: number, signal?: AbortSignal): Promise<CallState> {
    const path = `/api/calls/${encodeURIComponent(toolCallId)}?wait=${seconds}`;
    return this.#request('GET', path, { signal, waitMs: seconds * 1000 }) as Promise<CallState>;
  }

  withdraw({ toolCallId }: CallRef, note: string): Promise<{ readonly withdrawn: boolean }> {
    const path = `/api/calls/${encodeURIComponent(toolCallId)}?note=${encodeURIComponent(note)}`;
    return this.#request('DELETE', path) as Promise<{ withdrawn: boolean }>;
  }

  /** Lists the newest open prompts that may be answered, or the newest before `before`; oldest first. */
  listOpen(before?: string): Promise<{ readonly open: readonly InboxEntry[] }> {
    const query = before === undefined ? '' : `?before=${encodeURIComponent(before)}`;
    return this.#request('GET', `/api/interactions${query}`) as Promise<{ open: InboxEntry[] }>;
  }

  answer({ sessionId, interaction }: InboxEntry, answer: object): Promise<AnswerReply> {
    const [session, prompt] = [sessionId, interaction.interactionId].map(encodeURIComponent);
    const path = `/api/sessions/${session}/interactions/${prompt}/response`;
    return this.#request('POST', path, { body: answer }) as Promise<AnswerReply>;
  }

  /** Returns the address of a prompt on the page. */
  pageOf({ sessionId, interaction }: Pick<InboxEntry, 'sessionId' | 'interaction'>): string {
    return `${nameLocal(this.#server.url)}/s/${[sessionId, interaction.interactionId].map(encodeURIComponent).join('/')}`;
  }

  /** Uploads a local file: as the answer to a field or, without one, to attach it to the answer. @throws SettingsError if there is no such file; RefusalError */
  async upload(
    { sessionId, interaction }: Pick<InboxEntry, 'sessionId' | 'interaction'>,
    field: string | undefined,
    path: string,
  ): Promise<FileReference> {
    const content = await openLocalFile(path);
    const { url: origin, token } = this.#server;
    await this.#server.check();
    return uploadFile({ origin, token, sessionId, interactionId: interaction.interactionId, field }, content);
  }

  /** Fetches a file from an address that a result gave, at the server of these settings. @throws Error if it is not there */
  async download(url: string): Promise<ReadableStream<Uint8Array>> {
    const { url: base, token } = this.#server;
    await this.#server.check();
    const address = `${base}${new URL(url).pathname}`;
    const headers = { ...(token !== undefined && { authorization: `Bearer ${token}` }) };
    const response = await fetch(address, { headers, redirect: 'error' }).catch((cause: unknown) => {
      throw this.#explain(cause);
    });
    if (response.ok && response.body) return response.body;
    throw new Error(`A file of the answer could not be fetched: the server said ${response.status}.`);
  }

  /** Reads statistics. Members that are undefined restrict nothing. @throws RefusalError */
  readStatistics(query: Readonly<Record<string, string | undefined>>): Promise<Statistics & { readonly left: number }> {
    const given = Object.entries(query).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]]));
    const path = `/api/stats?${new URLSearchParams(given)}`;
    return this.#request('GET', path, { waitMs: countMs }) as Promise<Statistics & { left: number }>;
  }

  /** Sends a test notification to all recipients of a notifier, or to one of them. @throws RefusalError `not_found` */
  testNotifier(name: string, to?: string): Promise<NotifierTest> {
    const body = { name, ...(to !== undefined && { to }) };
    return this.#request('POST', '/api/notifiers/test', { body, waitMs: testMs }) as Promise<NotifierTest>;
  }

  /**
   * Sends a request. The server's identity is checked each time, because another program may listen on its port meanwhile.
   * @throws NoServerError, RefusalError, or Error if something else listens
   */
  async #request(
    method: string,
    path: string,
    { body, signal, waitMs = 0 }: { body?: object; signal?: AbortSignal | undefined; waitMs?: number } = {},
  ): Promise<unknown> {
    const { url, place, token } = this.#server;
    await this.#server.check();
    const limit = AbortSignal.timeout(waitMs + graceMs);
    const response = await fetch(`${url}${path}`, {
      method,
      headers: {
        ...(token !== undefined && { authorization: `Bearer ${token}` }),
        ...(body && { 'content-type': 'application/json' }),
      },
      ...(body && { body: JSON.stringify(body) }),
      redirect: 'error',
      signal: signal ? AbortSignal.any([signal, limit]) : limit,
    }).catch((cause: unknown) => {
      signal?.throwIfAborted();
      throw this.#explain(cause);
    });
    const text = await response.text().catch((cause: unknown) => {
      signal?.throwIfAborted();
      throw new LostServerError(place, { cause });
    });
    const reply = parseReply(text);
    if (!reply) throw explainStranger(place, response.status);
    if (response.ok) return reply;
    if (!isRecord(reply.error)) throw new NotParleyError(place);
    const { code, message, details } = reply.error;
    const refusal = new RefusalError(code as WireErrorCode, { message: String(message), details });
    const topic = isRecord(details) && details.topic === 'address-refused' ? details.topic : topicsOf[code as string];
    throw topic === undefined ? refusal : explainedBy(topic, refusal);
  }

  #explain(fault: unknown): Error {
    return explainUnsent(this.#server, fault) ?? new LostServerError(this.#server.place, { cause: fault });
  }
}

/** Refusals that docs/troubleshooting.md explains. */
const topicsOf: Readonly<Record<string, Topic>> = {
  unauthorised: 'token-unknown',
  storage_full: 'disk-full',
  storage_failed: 'not-ready',
};

/** Parses a JSON object; undefined if it is anything else. */
export function parseReply(text: string): Record<string, unknown> | undefined {
  try {
    const reply: unknown = JSON.parse(text);
    return isRecord(reply) ? reply : undefined;
  } catch {
    return undefined;
  }
}

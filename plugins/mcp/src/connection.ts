import {
  type AuthProvider,
  auth,
  type CallToolResult,
  Client,
  computeScopeUnion,
  type ElicitResult,
  extractWWWAuthenticateParams,
  type FetchLike,
  type InputRequiredResult,
  InsufficientScopeError,
  isInputRequiredResult,
  LOG_LEVEL_META_KEY,
  type OAuthClientProvider,
  type OAuthDiscoveryState,
  OAuthError,
  OAuthErrorCode,
  type Progress,
  ProtocolError,
  ProtocolErrorCode,
  type RequestId,
  refreshAuthorization,
  SdkError,
  SdkErrorCode,
  SdkHttpError,
  type StoredOAuthClientInformation,
  type StoredOAuthTokens,
  StreamableHTTPClientTransport,
  type Tool,
  type Transport,
  validateAuthorizationResponseIssuer,
} from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { Agent, fetch } from 'undici';
import * as z from 'zod';
import { boundResponse, maxMessageBytes, OversizeError } from './bounded-response.ts';
import { isUnreadableData } from './mend-message.ts';
import { Mender } from './mend-wire.ts';
import type { OwnRequest } from './own-request.ts';
import { type OwnResult, showContents, showPrompt, showPrompts, showResources } from './own-results.ts';
import type { ServerConfig } from './server-config.ts';
import { deliverAnswers, failWithStreams, isCutOffData } from './wire.ts';

export type {
  AuthProvider,
  CallToolResult,
  ElicitResult,
  FetchLike,
  InputRequiredResult,
  OAuthClientProvider,
  OAuthDiscoveryState,
  Progress,
  StoredOAuthClientInformation,
  StoredOAuthTokens,
  Tool as McpTool,
};
/** Of OAuth: what `sign-in/` is made of. */
export {
  auth,
  computeScopeUnion,
  extractWWWAuthenticateParams,
  refreshAuthorization,
  validateAuthorizationResponseIssuer,
};

/** 2025 and earlier greet and keep a connection; 2026 and later answer each request on its own. */
export type Era = 'legacy' | 'modern';

/** What a server sends without being asked. */
export interface ConnectionEvents {
  onClosed(): void;
  /** Its tools are others now. */
  onToolsChanged(): void;
  /** Only of the era of 2025: says of no call that it belongs to one. */
  onElicit(params: unknown, signal: AbortSignal): Promise<ElicitResult>;
  /** Sends the answer to its question; of the era of 2025. Whether it can be sent nobody else hears. @throws what `sendAnswer` throws */
  deliver(sendAnswer: () => Promise<void>): Promise<void>;
  onLog(level: string, text: string): void;
  /** What a local server writes beside the protocol. */
  onStderr(text: string): void;
  /** What of it could not be read and is left out, in words. */
  onFault(words: string): void;
  /** What people did at an address that it sent them to is done; of the era of 2025. */
  onElicitationDone(elicitationId: string): void;
}

/** What the second and later rounds of a call add to it. */
export type Carry = Pick<InputRequiredResult, 'requestState'> & {
  readonly inputResponses?: Record<string, ElicitResult>;
};

export interface CallOptions {
  readonly signal: AbortSignal;
  readonly onProgress: (progress: Progress) => void;
}

/** In ms. The longest that timers take: people, and the tool's own limit, end calls sooner. */
const noTimeout = 2 ** 31 - 1;
/** In ms: for one that answers nothing before it was greeted, and for one that npx fetches first. */
const probeMs = 20_000;
const listMs = 60_000;

export interface OpenOptions {
  /** What an earlier connection found out, so that this one need not. */
  readonly prior?: Connection | undefined;
  readonly signal: AbortSignal;
  /** Where people sign in to it. */
  readonly door?: Door | undefined;
}

/** What lets requests in to a server that wants a token. */
export interface Door {
  readonly provider: AuthProvider;
  /** What a failure means: that somebody has to sign in, or what it says itself. */
  explain(error: unknown): unknown;
}

/** One connection to a server, in whichever era it speaks: the only file that knows the SDK. */
export class Connection {
  readonly #client: Client;
  readonly #explain: (error: unknown) => unknown;

  private constructor(client: Client, explain: (error: unknown) => unknown) {
    this.#client = client;
    this.#explain = explain;
  }

  /** @throws what the SDK throws */
  static async open(
    config: ServerConfig,
    events: ConnectionEvents,
    { prior, signal, door }: OpenOptions,
  ): Promise<Connection> {
    let oversize: OversizeError | undefined;
    const onOversize = () => {
      oversize = new OversizeError();
      void transport.close(); // whoever waits learns of it
    };
    const explain = (error: unknown) => oversize ?? door?.explain(error) ?? error;
    const mender = new Mender((words) => events.onFault(words));
    const transport = makeTransport(config, events, { authProvider: door?.provider, onOversize, mender });
    mender.hear(transport);
    failWithStreams(transport);
    const onAsked = deliverAnswers(transport, (send) => events.deliver(() => explained(send(), explain)));
    const client = makeClient(config, events, { onAsked, onOversize });
    try {
      await client.connect(transport, { signal, ...(prior && { prior: prior.#verdict }) });
    } catch (error) {
      await transport.close().catch(() => undefined); // the first error says what is wrong
      throw explain(error);
    }
    client.onclose = () => events.onClosed();
    const connection = new Connection(client, explain);
    await connection.#listenToLogs();
    return connection;
  }

  get era(): Era {
    return this.#client.getProtocolEra() ?? 'legacy';
  }

  async listTools(): Promise<readonly Tool[]> {
    if (!this.#client.getServerCapabilities()?.tools) return [];
    return (await this.#explained(this.#client.listTools(undefined, { timeout: listMs, cacheMode: 'refresh' }))).tools;
  }

  /** What it has beside tools. */
  get has(): { readonly resources: boolean; readonly prompts: boolean } {
    const { resources, prompts } = this.#client.getServerCapabilities() ?? {};
    return { resources: resources !== undefined, prompts: prompts !== undefined };
  }

  /** @throws what the SDK throws; the signal's reason once it aborts */
  async call(
    { name, inputSchema, request }: Pick<Tool, 'name' | 'inputSchema'> & { readonly request?: OwnRequest },
    args: Record<string, unknown>,
    { signal, onProgress, ...carry }: CallOptions & Carry,
  ): Promise<CallToolResult | InputRequiredResult> {
    if (request) return this.#explained(this.#ask(request, args, signal)) as Promise<CallToolResult>;
    const _meta = this.era === 'modern' ? { [LOG_LEVEL_META_KEY]: 'info' as const } : undefined;
    const params = { name, arguments: args, ...carry, ...(_meta && { _meta }) };
    const called = this.#client.callTool(params as Parameters<Client['callTool']>[0], {
      signal,
      timeout: noTimeout,
      onprogress: onProgress,
      allowInputRequired: true,
      toolDefinition: { name, inputSchema }, // without its output's schema: what it says is judged by whoever reads it
    });
    return this.#explained(called);
  }

  async #ask(request: OwnRequest, args: Record<string, unknown>, signal: AbortSignal): Promise<OwnResult> {
    const client = this.#client;
    const options = { signal, timeout: noTimeout, cacheMode: 'refresh' } as const;
    const page = typeof args.cursor === 'string' ? { cursor: args.cursor } : {};
    switch (request) {
      case 'resources/list': {
        const [{ resources, nextCursor }, { resourceTemplates }] = await Promise.all([
          client.listResources(page, options),
          client.listResourceTemplates(undefined, options).catch(() => ({ resourceTemplates: [] })), // many have none
        ]);
        return showResources(resources, resourceTemplates, nextCursor);
      }
      case 'resources/read':
        return showContents(await client.readResource({ uri: String(args.uri) }, options));
      case 'prompts/list': {
        const { prompts, nextCursor } = await client.listPrompts(page, options);
        return showPrompts(prompts, nextCursor);
      }
      case 'prompts/get': {
        const filled = { name: String(args.name), arguments: args.arguments as Record<string, string> };
        return showPrompt(await client.getPrompt(filled, { signal, timeout: noTimeout }));
      }
      default:
        return request satisfies never;
    }
  }

  #explained<T>(asked: Promise<T>): Promise<T> {
    return explained(asked, this.#explain);
  }

  close(): Promise<void> {
    return this.#client.close();
  }

  get #verdict() {
    const discover = this.#client.getDiscoverResult();
    return this.era === 'modern' && discover ? ({ kind: 'modern', discover } as const) : ({ kind: 'legacy' } as const);
  }

  /** In the era of 2025 a server logs for the whole connection. */
  async #listenToLogs(): Promise<void> {
    if (this.era === 'modern' || !this.#client.getServerCapabilities()?.logging) return;
    await this.#client.setLoggingLevel('info').catch(() => undefined); // it then logs as it does by itself
  }
}

export { isInputRequiredResult };

function explained<T>(asked: Promise<T>, explain: (error: unknown) => unknown): Promise<T> {
  return asked.catch((error: unknown) => {
    throw explain(error);
  });
}

/** Whether a server that was given a token wants another one, and for what scope, if it says so. */
export function readRefusal(error: unknown): { readonly scope?: string | undefined } | undefined {
  if (error instanceof InsufficientScopeError) return { scope: error.requiredScope };
  return error instanceof SdkHttpError && error.status === 401 ? {} : undefined;
}

/** Whether an authorisation server takes what it was given for good: nothing but a new sign-in changes that. */
export function isLastingRefusal(error: unknown): boolean {
  if (!(error instanceof OAuthError)) return false;
  const codes: string[] = [
    OAuthErrorCode.InvalidGrant,
    OAuthErrorCode.InvalidClient,
    OAuthErrorCode.UnauthorizedClient,
  ];
  return codes.includes(error.code);
}

/** Whether an authorisation server knows nothing of the client that asked: another has to be registered. */
export function isUnknownClient(error: unknown): boolean {
  const codes: string[] = [OAuthErrorCode.InvalidClient, OAuthErrorCode.UnauthorizedClient];
  return error instanceof OAuthError && codes.includes(error.code);
}

/** Whether the server cannot have begun the call: it knows nothing of the connection, or nobody was there. */
export function isUnheard(error: unknown): boolean {
  if (error instanceof SdkHttpError) return error.status === 404;
  if (error instanceof SdkError) return error.code === SdkErrorCode.NotConnected;
  const { cause } = error instanceof Error ? error : {};
  return typeof cause === 'object' && cause !== null && 'code' in cause && cause.code === 'ECONNREFUSED';
}

/** Whether the server answered, and nobody can read what. */
export function isUnreadable(error: unknown): error is Error {
  return error instanceof ProtocolError && isUnreadableData(error.data);
}

/** Whether the connection went while the call ran: nobody knows how far that came. */
export function isCutOff(error: unknown): boolean {
  if (error instanceof SdkError)
    return error.code === SdkErrorCode.ConnectionClosed || error.code === SdkErrorCode.SendFailed;
  if (error instanceof ProtocolError) return isCutOffData(error.data);
  return error instanceof TypeError; // of fetch
}

/** The addresses that a server of 2025 wants people to open before it goes on. */
export function readUrlDemands(error: unknown): readonly UrlDemand[] {
  if (!(error instanceof ProtocolError) || error.code !== ProtocolErrorCode.UrlElicitationRequired) return [];
  return demandsSchema.safeParse(error.data).data?.elicitations ?? [];
}

const demandsSchema = z.object({
  elicitations: z
    .array(z.object({ mode: z.literal('url'), message: z.string(), url: z.string(), elicitationId: z.string() }))
    .max(10),
});

export type UrlDemand = z.infer<typeof demandsSchema>['elicitations'][number];

interface ClientEvents {
  /** Gets the id of each question, before it is answered. */
  onAsked(id: RequestId): void;
  onOversize(): void;
}

const modes = { auto: 'auto', '2025': 'legacy', '2026': { pin: '2026-07-28' } } as const;

function makeClient(
  { protocol = 'auto' }: ServerConfig,
  events: ConnectionEvents,
  { onAsked, onOversize }: ClientEvents,
): Client {
  const client = new Client(
    { name: 'parley', title: 'Parley', version: '0.1.0' },
    {
      capabilities: { elicitation: { form: {}, url: {} } },
      versionNegotiation: { mode: modes[protocol], probe: { timeoutMs: probeMs } },
      inputRequired: { autoFulfill: false }, // what is asked is stored with the call, and survives this process
      listChanged: { tools: { autoRefresh: false, debounceMs: 0, onChanged: () => events.onToolsChanged() } }, // the newest list counts, however often they change
    },
  );
  client.setNotificationHandler('notifications/message', ({ params: { level, logger, data } }) => {
    const text = typeof data === 'string' ? data : JSON.stringify(data);
    events.onLog(level, logger === undefined ? text : `${logger}: ${text}`);
  });
  client.setNotificationHandler('notifications/elicitation/complete', ({ params }) =>
    events.onElicitationDone(params.elicitationId),
  );
  // With a handler of its own for `elicitation/create`, the SDK would refuse forms that people can well be shown.
  client.fallbackRequestHandler = async ({ method, params }, { mcpReq }) => {
    if (method !== 'elicitation/create') throw new ProtocolError(ProtocolErrorCode.MethodNotFound, refusalOf(method));
    onAsked(mcpReq.id);
    return { ...(await events.onElicit(params, mcpReq.signal)) };
  };
  client.onerror = (error) => {
    if (error.message.startsWith('ReadBuffer exceeded')) onOversize();
    events.onLog('debug', error.message);
  };
  return client;
}

/** In words for whoever wrote the server. */
export function refusalOf(method: string | undefined): string {
  if (method === undefined) return 'It does not say by which method.';
  if (method === 'sampling/createMessage')
    return 'Parley runs no model on behalf of a server: it declares no "sampling".';
  if (method === 'roots/list') return 'Parley shows a server no folders: it declares no "roots".';
  return `Parley does not answer "${method}".`;
}

/** Node's own fetch gives a response up after five minutes of silence; people take longer. */
const patient = new Agent({ headersTimeout: 0, bodyTimeout: 0 });
const fetchPatiently = ((input: string, init: object) =>
  fetch(input, { ...init, dispatcher: patient })) as unknown as FetchLike;

interface TransportOptions {
  readonly authProvider: AuthProvider | undefined;
  readonly mender: Mender;
  onOversize(): void;
}

function makeTransport(
  config: ServerConfig,
  events: ConnectionEvents,
  { authProvider, mender, onOversize }: TransportOptions,
): Transport {
  const { command, args = [], env = {}, cwd, url = '', headers = {} } = config;
  if (command === undefined) {
    return new StreamableHTTPClientTransport(new URL(url), {
      requestInit: { headers },
      fetch: async (input, init) =>
        mender.mendResponse(boundResponse(await fetchPatiently(input, init), onOversize), init?.body),
      ...(authProvider && { authProvider }),
    });
  }
  // Beside `env` it gets only what the SDK deems safe: a path, a home, a user; no key and nothing of Parley's own (SEC8).
  const local = {
    command,
    args,
    env,
    maxBufferSize: maxMessageBytes,
    stderr: 'pipe' as const,
    ...(cwd !== undefined && { cwd }),
  };
  const transport = new StdioClientTransport(local);
  mender.mendLines(bufferOf(transport), maxMessageBytes);
  transport.stderr?.on('data', (chunk) => events.onStderr(String(chunk).trimEnd()));
  return transport;
}

/** Where the SDK gathers what a local server writes: it has no door of its own there. */
function bufferOf(transport: StdioClientTransport): { append(chunk: Buffer): void } {
  return (transport as unknown as { readonly _readBuffer: { append(chunk: Buffer): void } })._readBuffer;
}

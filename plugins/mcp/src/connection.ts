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
import { appType, type Content, uiExtension } from './app-page.ts';
import { boundResponse, maxMessageBytes, OversizeError } from './bounded-response.ts';
import { isUnreadableData } from './mend-message.ts';
import { Mender } from './mend-wire.ts';
import type { OwnRequest } from './own-request.ts';
import { type OwnResult, showContents, showPrompt, showPrompts, showResources } from './own-results.ts';
import { refusalOf } from './refusal.ts';
import type { ServerConfig } from './server-config.ts';
import { readDemands, type UrlDemand } from './url-demand.ts';
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
/** The OAuth functions that `sign-in/` uses. */
export {
  auth,
  computeScopeUnion,
  extractWWWAuthenticateParams,
  refreshAuthorization,
  validateAuthorizationResponseIssuer,
};

/** `legacy`: protocols until 2025, with a handshake and a lasting connection; `modern`: from 2026, with independent requests. */
export type Era = 'legacy' | 'modern';

/** Handlers for messages that a server sends by itself. */
export interface ConnectionEvents {
  onClosed(): void;
  /** The server's list of tools has changed. */
  onToolsChanged(): void;
  /** The server asks a question (2025 protocol only); it does not say to which call the question belongs. */
  onElicit(params: unknown, signal: AbortSignal): Promise<ElicitResult>;
  /** Sends the answer to a question (2025 protocol only). @throws what `sendAnswer` throws */
  deliver(sendAnswer: () => Promise<void>): Promise<void>;
  onLog(level: string, text: string): void;
  /** A local server wrote to its standard error. */
  onStderr(text: string): void;
  /** A part of a message could not be read and is left out; `words` describes it. */
  onFault(words: string): void;
  /** People have finished at an address that the server sent them to (2025 protocol only). */
  onElicitationDone(elicitationId: string): void;
}

/** Members that the second and later rounds add to a call. */
export type Carry = Pick<InputRequiredResult, 'requestState'> & {
  readonly inputResponses?: Record<string, ElicitResult>;
};

export interface CallOptions {
  readonly signal: AbortSignal;
  readonly onProgress: (progress: Progress) => void;
}

/** The longest delay of a timer, in ms: people and the tool's own time limit end calls sooner. */
const noTimeout = 2 ** 31 - 1;
/** How long to probe the era of a server, in ms: some do not answer before a handshake, and npx may download others first. */
const probeMs = 20_000;
const listMs = 60_000;

export interface OpenOptions {
  /** An earlier connection to the same server, whose result of the negotiation is reused. */
  readonly prior?: Connection | undefined;
  readonly signal: AbortSignal;
  /** How requests get a token, if people can sign in to the server. */
  readonly door?: Authentication | undefined;
}

/** Authentication for requests to a server that requires a token. */
export interface Authentication {
  readonly provider: AuthProvider;
  /** Returns a `SignInNeededError` if that is what the error means, else the error itself. */
  explain(error: unknown): unknown;
}

/** One connection to a server of either era. Only this file uses the SDK. */
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
      void transport.close(); // fails all pending requests
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
      await transport.close().catch(() => undefined); // the first error is the relevant one
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

  /** Reads a resource as the server has it now. @throws what the SDK throws */
  async readContents(uri: string): Promise<readonly Content[]> {
    const read = this.#client.readResource({ uri }, { timeout: listMs, cacheMode: 'refresh' });
    return (await this.#explained(read)).contents;
  }

  /** Whether the server offers resources and prompts. */
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
      toolDefinition: { name, inputSchema }, // no output schema: the SDK would reject results that do not match it
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

  /** Requests log messages: servers of the 2025 era send them per connection, not per call. */
  async #listenToLogs(): Promise<void> {
    if (this.era === 'modern' || !this.#client.getServerCapabilities()?.logging) return;
    await this.#client.setLoggingLevel('info').catch(() => undefined); // it then uses its default level
  }
}

export { isInputRequiredResult };

function explained<T>(asked: Promise<T>, explain: (error: unknown) => unknown): Promise<T> {
  return asked.catch((error: unknown) => {
    throw explain(error);
  });
}

/** Whether the server rejected the token, and the scope that it requires if it names one. @returns undefined for other errors */
export function readRefusal(error: unknown): { readonly scope?: string | undefined } | undefined {
  if (error instanceof InsufficientScopeError) return { scope: error.requiredScope };
  return error instanceof SdkHttpError && error.status === 401 ? {} : undefined;
}

/** Whether an authorisation server rejects the credentials permanently, so that only a new sign-in helps. */
export function isLastingRefusal(error: unknown): boolean {
  if (!(error instanceof OAuthError)) return false;
  const codes: string[] = [
    OAuthErrorCode.InvalidGrant,
    OAuthErrorCode.InvalidClient,
    OAuthErrorCode.UnauthorizedClient,
  ];
  return codes.includes(error.code);
}

/** Whether an authorisation server does not know the client, so that a new one must be registered. */
export function isUnknownClient(error: unknown): boolean {
  const codes: string[] = [OAuthErrorCode.InvalidClient, OAuthErrorCode.UnauthorizedClient];
  return error instanceof OAuthError && codes.includes(error.code);
}

/** Whether the server cannot have begun the call, because it does not know the connection or was not running. */
export function isUnheard(error: unknown): boolean {
  if (error instanceof SdkHttpError) return error.status === 404;
  if (error instanceof SdkError) return error.code === SdkErrorCode.NotConnected;
  const { cause } = error instanceof Error ? error : {};
  return typeof cause === 'object' && cause !== null && 'code' in cause && cause.code === 'ECONNREFUSED';
}

/** Whether the server answered, but its answer cannot be read. */
export function isUnreadable(error: unknown): error is Error {
  return error instanceof ProtocolError && isUnreadableData(error.data);
}

/** Whether the connection ended while the call ran, so that it is unknown whether the call took effect. */
export function isCutOff(error: unknown): boolean {
  if (error instanceof SdkError)
    return error.code === SdkErrorCode.ConnectionClosed || error.code === SdkErrorCode.SendFailed;
  if (error instanceof ProtocolError) return isCutOffData(error.data);
  return error instanceof TypeError; // thrown by fetch
}

/** Returns the addresses that a server of the 2025 era wants people to open before it continues. */
export function readUrlDemands(error: unknown): readonly UrlDemand[] {
  if (!(error instanceof ProtocolError) || error.code !== ProtocolErrorCode.UrlElicitationRequired) return [];
  return readDemands(error.data);
}

interface ClientEvents {
  /** Receives the id of each question before it is answered. */
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
      capabilities: {
        elicitation: { form: {}, url: {} },
        extensions: { [uiExtension]: { mimeTypes: [appType] } },
      },
      versionNegotiation: { mode: modes[protocol], probe: { timeoutMs: probeMs } },
      inputRequired: { autoFulfill: false }, // the call stores its questions itself, so that they survive a restart
      // the plugin itself fetches the newest list
      listChanged: { tools: { autoRefresh: false, debounceMs: 0, onChanged: () => events.onToolsChanged() } },
    },
  );
  client.setNotificationHandler('notifications/message', ({ params: { level, logger, data } }) => {
    const text = typeof data === 'string' ? data : JSON.stringify(data);
    events.onLog(level, logger === undefined ? text : `${logger}: ${text}`);
  });
  client.setNotificationHandler('notifications/elicitation/complete', ({ params }) =>
    events.onElicitationDone(params.elicitationId),
  );
  // With a separate handler for `elicitation/create`, the SDK would reject forms that can be shown.
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

/** Node's own fetch gives up after five minutes without data, but people take longer. */
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
  events: { onStderr(text: string): void },
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
  // In addition to `env` it gets only the variables that the SDK deems safe, such as PATH, HOME and USER, so no keys (SEC8).
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

/** Returns the private buffer in which the SDK collects the output of a local server; there is no public access to it. */
function bufferOf(transport: StdioClientTransport): { append(chunk: Buffer): void } {
  return (transport as unknown as { readonly _readBuffer: { append(chunk: Buffer): void } })._readBuffer;
}

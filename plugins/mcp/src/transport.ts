import {
  type AuthProvider,
  type FetchLike,
  StreamableHTTPClientTransport,
  type Transport,
} from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { Agent, fetch } from 'undici';
import { boundResponse, maxMessageBytes } from './bounded-response.ts';
import type { Mender } from './mend-wire.ts';
import type { ServerConfig } from './server-config.ts';

/** Node's own fetch gives up after five minutes without data, but people take longer. */
const patient = new Agent({ headersTimeout: 0, bodyTimeout: 0 });
const fetchPatiently = ((input: string, init: object) =>
  fetch(input, { ...init, dispatcher: patient })) as unknown as FetchLike;

export interface TransportOptions {
  readonly authProvider: AuthProvider | undefined;
  readonly mender: Mender;
  onOversize(): void;
}

/** Makes the transport to a local program or to an address. */
export function makeTransport(
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

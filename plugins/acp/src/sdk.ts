import { Readable, Writable } from 'node:stream';
import {
  type AnyMessage,
  type ClientContext,
  type ContentBlock,
  type CreateElicitationRequest,
  type CreateElicitationResponse,
  client,
  type ElicitationPropertySchema,
  type ElicitationSchema,
  type InitializeResponse,
  methods,
  ndJsonStream,
  type PermissionOption,
  PROTOCOL_VERSION,
  RequestError,
  type RequestPermissionRequest,
  type RequestPermissionResponse,
  type SessionModeState,
  type SessionUpdate,
  type StopReason,
  type ToolCallContent,
  type ToolKind,
} from '@agentclientprotocol/sdk';
import { isRecord } from '@parleyhq/core';

export {
  type ClientContext,
  type ElicitationPropertySchema,
  type ElicitationSchema,
  methods,
  type PermissionOption,
  RequestError,
  type SessionModeState,
  type SessionUpdate,
  type StopReason,
  type ToolCallContent,
  type ToolKind,
};
export type PermissionRequest = RequestPermissionRequest;
export type PermissionResult = RequestPermissionResponse;
export type ElicitationRequest = CreateElicitationRequest;
export type ElicitationResult = CreateElicitationResponse;
export type Initialized = InitializeResponse;
export type PromptBlock = ContentBlock;

/** What the agent of a connection sends. `update` comes in the order of the wire, and is not validated. */
export interface Handlers {
  update(sessionId: unknown, update: Readonly<Record<string, unknown>>): void;
  /** @param signal - aborts if the agent takes the request back, or its connection ends */
  permission(request: PermissionRequest, signal: AbortSignal): Promise<PermissionResult>;
  elicitation(request: ElicitationRequest, signal: AbortSignal): Promise<ElicitationResult>;
}

export interface Connection {
  readonly agent: ClientContext;
  /** Whether nothing more comes from the agent, because its output ended. */
  readonly isClosed: boolean;
  /** Rejects everything that waits for the agent. */
  close(reason: Error): void;
}

/** Connects to an agent over its standard input and output. */
export function connect(input: Writable, output: Readable, handlers: Handlers): Connection {
  const stream = ndJsonStream(
    Writable.toWeb(input) as WritableStream<Uint8Array>,
    Readable.toWeb(output) as ReadableStream<Uint8Array>,
  );
  const connection = client({ name: 'parley' })
    .onRequest(methods.client.session.requestPermission, ({ params, signal }) => handlers.permission(params, signal))
    .onRequest(methods.client.elicitation.create, ({ params, signal }) => handlers.elicitation(params, signal))
    .connect({ ...stream, readable: stream.readable.pipeThrough(tap(handlers)) });
  return {
    agent: connection.agent,
    get isClosed() {
      return connection.signal.aborted;
    },
    close: (reason) => connection.close(reason),
  };
}

/** @throws Error if the agent speaks another version of the protocol */
export async function initialize(agent: ClientContext): Promise<Initialized> {
  const initialized = await agent.request(methods.agent.initialize, {
    protocolVersion: PROTOCOL_VERSION,
    clientInfo: { name: 'parley', title: 'Parley', version: '0.1.0' },
    clientCapabilities: { elicitation: { form: {}, url: {} } },
  });
  if (initialized.protocolVersion === PROTOCOL_VERSION) return initialized;
  throw new Error(`it speaks version ${initialized.protocolVersion} of the protocol, not ${PROTOCOL_VERSION}`);
}

/**
 * Takes the updates off the stream: the SDK would let the result of a prompt overtake the last ones, and drop what it does not
 * know. It would also refuse a whole permission request for one option of an unknown kind.
 */
function tap(handlers: Handlers): TransformStream<AnyMessage, AnyMessage> {
  return new TransformStream({
    transform(message, controller) {
      if (!('method' in message)) return controller.enqueue(message);
      const { method, params } = message as { method: string; params?: unknown };
      if (!isRecord(params)) return controller.enqueue(message);
      if (method === methods.client.session.update) {
        if (isRecord(params.update)) handlers.update(params.sessionId, params.update);
        return;
      }
      if (method === methods.client.session.requestPermission && Array.isArray(params.options)) {
        const options = params.options.filter((option) => isRecord(option) && kinds.has(option.kind));
        return controller.enqueue({ ...message, params: { ...params, options } } as AnyMessage);
      }
      controller.enqueue(message);
    },
  });
}

const kinds: ReadonlySet<unknown> = new Set(['allow_once', 'allow_always', 'reject_once', 'reject_always']);

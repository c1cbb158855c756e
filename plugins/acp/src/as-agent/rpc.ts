import { InexactNumberError, isRecord, isTooDeep, limits, parseExactJson } from '@parleyhq/core';

/** Error codes of JSON-RPC, and those that the protocol adds. */
export const rpcCodes = {
  parseError: -32_700,
  invalidRequest: -32_600,
  unknownMethod: -32_601,
  invalidParams: -32_602,
  internal: -32_603,
  unauthorised: -32_000,
  notFound: -32_002,
  /** Parley refuses; its own code is in `data`. */
  refused: -32_003,
  cancelled: -32_800,
} as const;

type RpcCode = (typeof rpcCodes)[keyof typeof rpcCodes];

/** An error as the other side receives it. */
export class RpcError extends Error {
  readonly code: RpcCode;
  readonly data: unknown;

  constructor(code: RpcCode, message: string, data?: unknown) {
    super(message);
    this.code = code;
    this.data = data;
  }
}

/** The other side's answer to a request: a result, or undefined for an error. */
export type RpcAnswer = { readonly result: unknown } | undefined;

export interface RpcHandlers {
  send(text: string): void;
  /**
   * Returns the result of a request.
   * @param signal - aborts if the other side cancels the request, or the connection ends
   * @throws RpcError that the other side gets; any other error is logged, and becomes an internal one
   */
  answer(method: string, params: unknown, signal: AbortSignal): Promise<unknown>;
  notice(method: string, params: unknown): void;
  fail(error: unknown, method: string): void;
}

type Id = string | number | null;

/** One side of a JSON-RPC connection whose messages are texts. */
export class RpcPeer {
  readonly #handlers: RpcHandlers;
  /** Requests of the other side that are being answered, by the JSON of their ids: 1 is another id than "1". */
  readonly #answering = new Map<string, AbortController>();
  readonly #asked = new Map<Id, (answer: RpcAnswer) => void>();
  #lastId = 0;
  #isOver = false;

  constructor(handlers: RpcHandlers) {
    this.#handlers = handlers;
  }

  receive(text: string): void {
    try {
      this.#handle(parse(text));
    } catch (error) {
      if (!(error instanceof RpcError)) throw error;
      this.#refuse(null, error);
    }
  }

  notify(method: string, params: object): void {
    this.#write({ method, params });
  }

  /**
   * Sends a request.
   * @param onAnswer - called at most once, and not after the request was taken back or the connection has ended
   * @returns a function that takes the request back: whatever is still answered does not count
   */
  ask(method: string, params: object, onAnswer: (answer: RpcAnswer) => void): () => void {
    this.#lastId += 1;
    const id = this.#lastId;
    this.#asked.set(id, onAnswer);
    this.#write({ id, method, params });
    return () => {
      if (this.#asked.delete(id)) this.notify('$/cancel_request', { requestId: id });
    };
  }

  /** The connection has ended. */
  end(): void {
    this.#isOver = true;
    this.#asked.clear();
    for (const stop of this.#answering.values()) stop.abort();
  }

  #handle(message: Readonly<Record<string, unknown>>): void {
    const { id, method, params } = message;
    if (typeof method === 'string' && id === undefined) this.#take(method, params);
    else if (!isId(id)) throw invalid('The id must be a text or a number.');
    else if (typeof method === 'string') void this.#answer(id, method, params);
    else if ('result' in message || 'error' in message) this.#settle(id, message);
    else this.#refuse(id, invalid('The message has no method.'));
  }

  #take(method: string, params: unknown): void {
    if (method !== '$/cancel_request') this.#handlers.notice(method, params);
    else if (isRecord(params)) this.#answering.get(JSON.stringify(params.requestId))?.abort();
  }

  async #answer(id: Id, method: string, params: unknown): Promise<void> {
    const key = JSON.stringify(id);
    if (this.#answering.has(key)) {
      this.#refuse(id, invalid('A request with this id is still being answered.'));
      return;
    }
    const stop = new AbortController();
    this.#answering.set(key, stop);
    try {
      const result = await this.#handlers.answer(method, params, stop.signal);
      this.#write({ id, result: result ?? {} });
    } catch (error) {
      if (!(error instanceof RpcError)) this.#handlers.fail(error, method);
      this.#refuse(id, error instanceof RpcError ? error : broken);
    } finally {
      this.#answering.delete(key);
    }
  }

  #settle(id: Id, message: Readonly<Record<string, unknown>>): void {
    const onAnswer = this.#asked.get(id);
    this.#asked.delete(id); // a second answer, or one to a request that was taken back, does not count
    onAnswer?.('error' in message ? undefined : { result: message.result });
  }

  #refuse(id: Id, { code, message, data }: RpcError): void {
    this.#write({ id, error: { code, message, ...(data !== undefined && { data }) } });
  }

  #write(message: object): void {
    if (!this.#isOver) this.#handlers.send(JSON.stringify({ jsonrpc: '2.0', ...message }));
  }
}

const broken = new RpcError(rpcCodes.internal, 'Something broke in the server; its log says more.');

function isId(value: unknown): value is Id {
  return value === null || typeof value === 'string' || typeof value === 'number';
}

/** @throws RpcError */
function parse(text: string): Record<string, unknown> {
  if (isTooDeep(text, limits.jsonDepth)) throw invalid('The message is nested too deeply.');
  let message: unknown;
  try {
    message = parseExactJson(text);
  } catch (error) {
    if (error instanceof InexactNumberError) throw invalid(error.message);
    throw new RpcError(rpcCodes.parseError, 'The message is not JSON.');
  }
  if (isRecord(message)) return message;
  throw invalid('A message is an object; there are no batches.');
}

function invalid(message: string): RpcError {
  return new RpcError(rpcCodes.invalidRequest, message);
}

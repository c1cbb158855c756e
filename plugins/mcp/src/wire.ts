/** The part of the SDK's transports that is used here. */
interface Wire {
  send(message: object, options?: SendOptions): Promise<void>;
  onmessage?: ((message: never) => void) | undefined;
}

interface SendOptions {
  /** Called when the stream that should contain the answer has ended. */
  readonly onRequestStreamEnd?: (() => void) | undefined;
}

type Id = string | number;

/** Marks errors made here for answers that will not arrive; compared by identity, so no server can send it. */
const cutOff = Object.freeze({ isCutOff: true });

/** Whether this is the `data` of the error made here for a stream that ended without an answer. */
export function isCutOffData(data: unknown): boolean {
  return data === cutOff;
}

/** Fails a request if its stream ends without an answer: the SDK would wait for ever. Answered requests are not affected. */
export function failWithStreams(wire: Wire): void {
  const send = wire.send.bind(wire);
  wire.send = (message, options) => {
    const id = 'method' in message ? idOf(message) : undefined;
    if (id === undefined || options?.onRequestStreamEnd) return send(message, options);
    const error = { code: -32000, message: 'The connection ended without an answer.', data: cutOff };
    const onRequestStreamEnd = () => wire.onmessage?.({ jsonrpc: '2.0', id, error } as never);
    return send(message, { ...options, onRequestStreamEnd });
  };
}

/**
 * Passes the sending of each answer to `deliver`: the SDK ignores an answer that cannot be sent, while the server waits for it.
 * @param deliver - sends an answer and handles its failure
 * @returns a function that registers the id of a question
 */
export function deliverAnswers(wire: Wire, deliver: (send: () => Promise<void>) => Promise<void>): (id: Id) => void {
  const asked = new Set<Id>();
  const send = wire.send.bind(wire);
  wire.send = (message, options) => {
    const id = 'method' in message ? undefined : idOf(message);
    const isAnswer = id !== undefined && asked.delete(id);
    return isAnswer ? deliver(() => send(message, options)) : send(message, options);
  };
  return (id) => void asked.add(id);
}

function idOf(message: object): Id | undefined {
  return (message as { readonly id?: Id }).id;
}

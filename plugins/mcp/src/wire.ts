/** What of the SDK's transports is used here. */
interface Wire {
  send(message: object, options?: SendOptions): Promise<void>;
  onmessage?: ((message: never) => void) | undefined;
}

interface SendOptions {
  /** The stream that was to bring the answer is over. */
  readonly onRequestStreamEnd?: (() => void) | undefined;
}

type Id = string | number;

/** Beside the error of an answer that will not come: none that a server sends is the same object. */
const cutOff = Object.freeze({ isCutOff: true });

/** Whether this is the `data` of an error of ours, for a stream that ended without an answer. */
export function isCutOffData(data: unknown): boolean {
  return data === cutOff;
}

/** The SDK waits for an answer whose stream ended without it; here it fails, and one that came before is not touched. */
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
 * The SDK drops an answer that cannot be sent, while the server waits for it.
 * @param deliver - sends each answer to a question
 * @returns tells it the id of a question
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

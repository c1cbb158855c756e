/** Maximum size in bytes of one response, of one event in a stream, and of one line of a local server (SEC6). */
export const maxMessageBytes = 16_000_000;

/** A server sent a message above the maximum size. */
export class OversizeError extends Error {
  override readonly name = 'OversizeError';

  constructor() {
    super(`it sent more than ${maxMessageBytes / 1_000_000} MB at once`);
  }
}

/**
 * Returns the same response with a body that fails with an `OversizeError` if it is too large: the SDK's parser buffers a whole
 * response or a whole event, however large it is.
 * @param onOversize - called if an event in a stream is too large; without closing the connection, the SDK would reconnect
 */
export function boundResponse(response: Response, onOversize: () => void): Response {
  const { body, status, statusText, headers } = response;
  if (!body) return response;
  const isStream = headers.get('content-type')?.startsWith('text/event-stream') === true;
  const bounded = body.pipeThrough(isStream ? boundEvents(onOversize) : boundWhole());
  return new Response(bounded, { status, statusText, headers });
}

function boundWhole(): TransformStream<Uint8Array, Uint8Array> {
  let bytes = 0;
  return new TransformStream({
    transform(chunk, controller) {
      bytes += chunk.length;
      if (bytes > maxMessageBytes) throw new OversizeError();
      controller.enqueue(chunk);
    },
  });
}

const [lf, cr] = [10, 13];

/** Limits each event, which ends with an empty line. A line ends with CR, LF or CRLF. */
function boundEvents(onOversize: () => void): TransformStream<Uint8Array, Uint8Array> {
  let [bytes, lineBytes, last] = [0, 0, 0];
  const count = (byte: number) => {
    bytes += 1;
    const isSameBreak = byte === lf && last === cr;
    last = byte;
    if (isSameBreak) return;
    if (byte !== lf && byte !== cr) {
      lineBytes += 1;
      return;
    }
    if (lineBytes === 0) bytes = 0;
    lineBytes = 0;
  };
  return new TransformStream({
    transform(chunk, controller) {
      for (const byte of chunk) {
        count(byte);
        if (bytes <= maxMessageBytes) continue;
        onOversize();
        throw new OversizeError();
      }
      controller.enqueue(chunk);
    },
  });
}

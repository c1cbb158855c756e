/** In bytes: of one answer, of one event in a stream of them, and of one line of a local server (SEC6). */
export const maxMessageBytes = 16_000_000;

/** A server says more at once than is read. */
export class OversizeError extends Error {
  override readonly name = 'OversizeError';

  constructor() {
    super(`it says more than ${maxMessageBytes / 1_000_000} MB at once`);
  }
}

/**
 * The same response, whose body fails with an `OversizeError` where it is too large: the parser of the SDK holds all of an answer, or
 * all of an event, however large that is.
 * @param onOversize - a stream of events ended so: the SDK would open it again
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

/** An event ends with an empty line, in any of the three ways to end a line. */
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

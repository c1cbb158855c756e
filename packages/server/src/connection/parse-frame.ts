import {
  type ClientFrame,
  clientFrameSchema,
  findInexactNumber,
  InexactNumberError,
  isRecord,
  isTooDeep,
  type Limit,
  limits,
  RefusalError,
} from '@parleyhq/core';

/** A parsed client frame, or why it was rejected. */
export type Parsed = {
  /** Id for the reply to a rejected frame, if it could be read. */
  readonly requestId: string | undefined;
  readonly isHello: boolean;
  /** Limit that the frame exceeds. */
  readonly limit?: Limit;
} & ({ readonly frame: ClientFrame; readonly refusal?: never } | { readonly refusal: RefusalError });

/**
 * Parses text into a frame. Its depth is checked before parsing, because code that walks deeply nested values later would fail
 * (SEC6).
 */
export function parseFrame(text: string): Parsed {
  if (text.length > limits.frameBytes) return { ...refuse('it is too large'), limit: 'frameBytes' };
  if (isTooDeep(text, limits.jsonDepth)) return { ...refuse('it is nested too deeply'), limit: 'jsonDepth' };
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    return refuse('it is not JSON');
  }
  const inexact = findInexactNumber(text);
  if (inexact) return refuse(new InexactNumberError(inexact).message, json);
  const parsed = clientFrameSchema.safeParse(json);
  if (parsed.success) return { frame: parsed.data, ...namesOf(json) };
  const [issue] = parsed.error.issues;
  return refuse(`${issue?.path.join('.') || 'frame'}: ${issue?.message ?? 'invalid'}`, json);
}

/** Reads only the names needed for the reply to a rejected frame, without validating it. */
export function readNames(text: string): Pick<Parsed, 'requestId' | 'isHello'> {
  if (text.length > limits.frameBytes || isTooDeep(text, limits.jsonDepth)) return namesOf(undefined);
  try {
    return namesOf(JSON.parse(text));
  } catch {
    return namesOf(undefined);
  }
}

function refuse(problem: string, json?: unknown) {
  const message = `This frame is not part of the protocol: ${problem}`;
  return { refusal: new RefusalError('bad_frame', { message }), ...namesOf(json) };
}

function namesOf(json: unknown) {
  const { type, requestId } = isRecord(json) ? json : {};
  return { requestId: typeof requestId === 'string' ? requestId : undefined, isHello: type === 'hello' };
}

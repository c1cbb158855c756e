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

/** A client's text, read. */
export type Parsed = {
  /** Whose reply a refusal is, if that much could be read. */
  readonly requestId: string | undefined;
  readonly isHello: boolean;
  /** The limit that it is beyond. */
  readonly limit?: Limit;
} & ({ readonly frame: ClientFrame; readonly refusal?: never } | { readonly refusal: RefusalError });

/** Text to a frame; depth is looked at before parsing, for a deep text breaks whatever walks it later (SEC6). */
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

/** Whose reply a frame wants that is refused unread: its schema is not asked. */
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

import { isAboutCertificate, noConnection } from '../running-server/running-server.ts';

/** In ms: how long an answer may take, to its end. */
export const patienceMs = 5000;

/** In characters: how much of an answer is read. */
const maxLength = 65_536;

export interface Reply {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

/** Nothing answered, or not in time. `code` is that of the system or of `fetch`. */
export class NoReplyError extends Error {
  readonly code: string;

  constructor(code: string, message: string) {
    super(message);
    this.code = code;
  }
}

/**
 * Sends a request, and reads the beginning of what comes back.
 * @throws NoReplyError, whose message names no address, because that may have a password in it
 */
export async function request(url: string | URL, init: RequestInit = {}): Promise<Reply> {
  const { username, password } = new URL(url);
  if (username !== '' || password !== '')
    throw new NoReplyError('CREDENTIALS', 'the address has a name or a password in it, which is not sent');
  const stop = new AbortController();
  const timer = setTimeout(() => stop.abort(), patienceMs); // it keeps the process alive, as `AbortSignal.timeout` does not
  try {
    const response = await fetch(url, { redirect: 'manual', ...init, signal: stop.signal });
    return { status: response.status, headers: response.headers, text: await readBeginning(response) };
  } catch (error) {
    throw stop.signal.aborted
      ? new NoReplyError('TIMEOUT', `it does not answer within ${patienceMs / 1000} s`)
      : explain(error);
  } finally {
    clearTimeout(timer);
    stop.abort();
  }
}

async function readBeginning({ body }: Response): Promise<string> {
  const decoder = new TextDecoder();
  let text = '';
  for await (const chunk of body ?? []) {
    text += decoder.decode(chunk, { stream: true });
    if (text.length >= maxLength) break;
  }
  return text;
}

function explain(error: unknown): NoReplyError {
  const { cause = error } = error as { cause?: unknown };
  const { code, message, name } = cause as NodeJS.ErrnoException;
  if (message === 'bad port') return new NoReplyError('BAD_PORT', 'browsers refuse this port');
  const known = typeof code === 'string' ? code : name;
  return new NoReplyError(known, noConnection.has(known) || isAboutCertificate(known) ? message : known);
}

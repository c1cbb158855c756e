import type { ExaminedAddress } from './examined-address.ts';
import { type Finding, fault, note } from './finding.ts';
import { patienceMs, request } from './request.ts';

/** Tries the token, and whether a stream arrives piece by piece. */
export async function examineToken(address: ExaminedAddress): Promise<readonly Finding[]> {
  const { subject, base, token } = address;
  if (token === undefined) return [];
  const authorization = `Bearer ${token}`;
  const { status } = await request(new URL('api/interactions', base), { headers: { authorization } });
  if (status === 200) return examineStream(address, authorization);
  if (status === 401) return [fault(subject, 'token-unknown', unknown)];
  if (status === 403)
    return [note(subject, 'token-limited', 'The token that this command has may only ask: it opens no page.')];
  return [
    fault(subject, 'not-ready', `The list of questions is answered with ${status}: the log of the server says why.`),
  ];
}

const unknown =
  'The server does not know the token that this command has: it was revoked, has expired, or is of another server.';

/** Opens a stream, whose first event says who this is. */
async function examineStream({ subject, base }: ExaminedAddress, authorization: string): Promise<readonly Finding[]> {
  const url = new URL('api/stream?label=parley%20doctor', base);
  const stop = new AbortController();
  const timer = setTimeout(() => stop.abort(), patienceMs);
  try {
    const { body, status } = await fetch(url, { headers: { authorization }, signal: stop.signal });
    if (status !== 200)
      return [
        fault(subject, 'buffered', `A stream of events is answered with ${status}: a proxy does not let it pass.`),
      ];
    const first = await body?.getReader().read();
    const isViewer = new TextDecoder().decode(first?.value).includes('"role":"viewer"');
    return isViewer
      ? [note(subject, 'token-limited', 'The token that this command has is a viewer’s: it may look, and not answer.')]
      : [];
  } catch {
    const words =
      'A stream of events does not arrive: a proxy keeps it back. Turn its buffering off, as docs/deploy.md shows.';
    return [fault(subject, 'buffered', words)];
  } finally {
    clearTimeout(timer);
    stop.abort();
  }
}

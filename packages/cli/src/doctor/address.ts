import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { isRecord } from '@parleyhq/core';
import { WebSocket } from '@parleyhq/server';
import { askIdentity, isLoopback, noConnection } from '../running-server/running-server.ts';
import { parseReply } from '../running-server/server-http.ts';
import { type Finding, fault, note, ok } from './finding.ts';

/** In ms: how long an answer may take. */
const patienceMs = 5000;

/** In ms: how far two clocks may differ. HTTP dates have whole seconds. */
const skewMs = 30_000;

export interface ExaminedAddress {
  /** What it is in the report. */
  readonly subject: string;
  /** Ends with a slash. */
  readonly base: string;
  /** The data directory and the port of the server that should answer; undefined for a server elsewhere. */
  readonly own?: { readonly dataDir: string; readonly port: number };
  /** Whether people open the page at another address: then sockets are tried as programs open them. */
  readonly isForPrograms?: boolean;
  /** A token that may be sent there, if the server is the right one. */
  readonly token?: string | undefined;
}

interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

/** Examines a server as a browser at this address meets it: identity, readiness, page, sockets, streams, and its token. */
export async function examineAddress(address: ExaminedAddress): Promise<readonly Finding[]> {
  const { subject, base } = address;
  const ready = await read(new URL('readyz', base));
  const refused = 'fault' in ready ? ready.fault(subject) : judge(ready, address);
  if (refused || 'fault' in ready) return refused ? [refused] : [];
  const stranger = await findStranger(address);
  if (stranger) return [stranger];
  const found = await Promise.all([findPageFault(address), findSocketFault(address), examineToken(address)]);
  const findings = [...findClockFault(subject, ready.headers), ...findOpenness(address), ...found.flat()];
  const isSound = findings.every(({ level }) => level === 'ok');
  return isSound ? [ok(subject, `Parley answers at ${base}, with its page and its sockets.`), ...findings] : findings;
}

type Failure = { readonly fault: (subject: string) => Finding };

async function read(url: URL, headers: Readonly<Record<string, string>> = {}): Promise<Answer | Failure> {
  try {
    const response = await fetch(url, { headers, redirect: 'manual', signal: AbortSignal.timeout(patienceMs) });
    return { status: response.status, headers: response.headers, text: await response.text() };
  } catch (error) {
    return { fault: (subject) => explainSilence(subject, url.origin, error) };
  }
}

function explainSilence(subject: string, origin: string, error: unknown): Finding {
  const { cause = error } = error as { cause?: unknown };
  const { code = '', message } = cause as NodeJS.ErrnoException;
  if (/CERT|SELF_SIGNED|UNABLE_TO_VERIFY|ALTNAME/.test(code))
    return fault(
      subject,
      'certificate',
      `This computer does not trust the certificate of ${origin} (${message}). Browsers do not, either, unless their systems know its authority. For commands, NODE_EXTRA_CA_CERTS names it.`,
    );
  if (code.startsWith('HPE_') || code.startsWith('ERR_SSL'))
    return fault(
      subject,
      'not-parley',
      `What listens at ${origin} does not speak ${new URL(origin).protocol.slice(0, -1)}.`,
    );
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN')
    return fault(subject, 'no-server', `This computer does not find the name ${new URL(origin).hostname} (${code}).`);
  const why = noConnection.has(code) ? code : message;
  return fault(
    subject,
    'no-server',
    `Nothing answers at ${origin} (${why}): start the server, and its proxy or tunnel if it has one.`,
  );
}

/** Judges the answer of `/readyz`. Undefined if a server is there and ready. */
function judge({ status, headers, text }: Answer, { subject, base }: ExaminedAddress): Finding | undefined {
  const reply = parseReply(text);
  if (status >= 300 && status < 400)
    return fault(
      subject,
      'redirect',
      `${base} redirects to ${headers.get('location')?.replace(/readyz$/, '')}: programs do not follow. Use that address.`,
    );
  if (status === 403 && isRecord(reply?.error))
    return fault(subject, 'address-refused', `The server refuses this address: ${reply.error.message}`);
  if (typeof reply?.ready === 'boolean')
    return reply.ready ? undefined : fault(subject, 'not-ready', describeUnready(reply.code));
  if ([502, 503, 504].includes(status))
    return fault(
      subject,
      'proxy-alone',
      `A proxy answers at ${base} with ${status}, and no server behind it: start the server, or correct the address that the proxy forwards to.`,
    );
  return fault(subject, 'not-parley', `What answers at ${base} is not Parley: /readyz gives ${status}.`);
}

function describeUnready(code: unknown): string {
  if (code === 'storage_full') return 'The disk is full: nothing can be stored until there is room.';
  if (code === 'storage_busy') return 'Another program has locked the database.';
  return `The server runs, but cannot store anything (${code}): its log says why.`;
}

async function findStranger({ subject, base, own }: ExaminedAddress): Promise<Finding | undefined> {
  if (!own) return undefined;
  const identity = await askIdentity(own.dataDir, { base, port: own.port });
  if (identity !== 'another') return undefined;
  return fault(
    subject,
    'another-server',
    `The server at ${base} is not that of ${own.dataDir}: name its folder with --data-dir, or its port with --port.`,
  );
}

async function findPageFault({ subject, base }: ExaminedAddress): Promise<readonly Finding[]> {
  const page = await read(new URL(base), { accept: 'text/html' });
  if ('fault' in page) return [page.fault(subject)];
  if (page.status === 200 && page.headers.get('content-type')?.startsWith('text/html')) return [];
  if (page.status === 403) return []; // the socket is refused, too, and says why
  return [
    fault(
      subject,
      'no-page',
      `There is no page at ${base} (it gives ${page.status}): in a checkout, run npm run build and start again.`,
    ),
  ];
}

/** Opens a socket as the page does, or as a program does, which names no origin. */
async function findSocketFault({ subject, base, isForPrograms }: ExaminedAddress): Promise<readonly Finding[]> {
  const url = new URL('ws', base.replace(/^http/, 'ws'));
  const socket = new WebSocket(url, {
    handshakeTimeout: patienceMs,
    ...(!isForPrograms && { origin: new URL(base).origin }),
  });
  const refused = new Promise<Finding>((resolve) => {
    socket.on('unexpected-response', (_, response) => {
      text(response).then(
        (words) => resolve(explainResponse(subject, response.statusCode, words)),
        () => resolve(explainResponse(subject, response.statusCode, '')),
      );
    });
  });
  try {
    const found = await Promise.race([once(socket, 'open').then(() => undefined), refused]);
    return found ? [found] : [];
  } catch (error) {
    return [fault(subject, 'no-upgrade', `No WebSocket opens at ${url.href}: ${(error as Error).message}`)];
  } finally {
    socket.on('error', () => undefined); // closing one that is not open yet
    socket.terminate();
  }
}

/** The server refuses an address in words, or in JSON if no upgrade reached it. Any other answer is that of a plain request. */
function explainResponse(subject: string, status: number | undefined, words: string): Finding {
  const { error } = parseReply(words) ?? {};
  const reason = isRecord(error) ? String(error.message) : words;
  if (status === 403 && reason.includes('allowedOrigins'))
    return fault(subject, 'address-refused', `The server refuses this address: ${reason}`);
  const plain = `A request for a WebSocket at /ws arrives as a plain one (${status}): let the proxy pass on Upgrade and Connection, as docs/deploy.md shows.`;
  return fault(subject, 'no-upgrade', plain);
}

function findClockFault(subject: string, headers: Headers): readonly Finding[] {
  const away = Date.parse(headers.get('date') ?? '') - Date.now();
  if (Number.isNaN(away) || Math.abs(away) < skewMs) return [];
  const seconds = Math.round(Math.abs(away) / 1000);
  return [
    fault(
      subject,
      'clock',
      `Its clock is ${seconds} s ${away > 0 ? 'ahead of' : 'behind'} the one here: deadlines and log-ins go wrong. Set both by NTP.`,
    ),
  ];
}

/** Whether others on the network can read along. */
export function findOpenness({ subject, base }: Pick<ExaminedAddress, 'subject' | 'base'>): readonly Finding[] {
  const { protocol, hostname } = new URL(base);
  if (protocol === 'https:' || isLoopback(hostname.replace(/[[\]]/g, ''))) return [];
  const words = `${base} is not encrypted: others on the network can read and answer, and browsers offer no notifications. docs/deploy.md shows how to add TLS.`;
  return [fault(subject, 'unencrypted', words)];
}

/** Tries the token, and whether a stream arrives piece by piece. */
async function examineToken(address: ExaminedAddress): Promise<readonly Finding[]> {
  const { subject, base, token } = address;
  if (token === undefined) return [];
  const authorization = `Bearer ${token}`;
  const answer = await read(new URL('api/interactions', base), { authorization });
  if ('fault' in answer) return [answer.fault(subject)];
  if (answer.status === 401)
    return [
      fault(
        subject,
        'token-unknown',
        'The server does not know the token that this command has: it was revoked, has expired, or is of another server.',
      ),
    ];
  if (!(answer.status === 200))
    return [note(subject, 'token-limited', 'The token that this command has may only ask: it opens no page.')];
  return examineStream(address, authorization);
}

/** Opens a stream, whose first event says who this is. */
async function examineStream({ subject, base }: ExaminedAddress, authorization: string): Promise<readonly Finding[]> {
  const url = new URL('api/stream?label=parley%20doctor', base);
  const stop = new AbortController();
  const timer = setTimeout(() => stop.abort(), patienceMs);
  try {
    const { body } = await fetch(url, { headers: { authorization }, signal: stop.signal });
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

import { isRecord } from '@parleyhq/core';
import { askIdentity, isAboutCertificate, isLoopback } from '../running-server/running-server.ts';
import { parseReply } from '../running-server/server-http.ts';
import type { ExaminedAddress } from './examined-address.ts';
import { type Finding, fault, ok } from './finding.ts';
import { NoReplyError, type Reply, request } from './request.ts';
import { findSocketFault } from './socket.ts';
import { examineToken } from './token.ts';

/** In ms: how far two clocks may differ. HTTP dates have whole seconds. */
const skewMs = 30_000;

/** Examines a server as a browser at this address meets it: identity, readiness, page, sockets, streams, and its token. */
export async function examineAddress(address: ExaminedAddress): Promise<readonly Finding[]> {
  const { subject, base } = address;
  try {
    const ready = await request(new URL('readyz', base));
    const refused = judge(ready, address) ?? (await findStranger(address));
    if (refused) return [refused];
    const [page, socket, access] = await Promise.all([
      findPageFault(address),
      findSocketFault(address),
      examineToken(address),
    ]);
    const isRefused = socket.some(({ code }) => code === 'address-refused'); // with a better reason than the page
    const found = [...(isRefused ? [] : page), ...socket, ...access];
    const findings = [...findClockFault(subject, ready.headers), ...findOpenness(address), ...found];
    const isSound = findings.every(({ level }) => level === 'ok');
    if (!isSound) return findings;
    const untried = address.token === undefined ? ' Log-in and event streams were not tried: that takes --token.' : '';
    return [ok(subject, `Parley answers at ${base}, with its page and its sockets.${untried}`), ...findings];
  } catch (error) {
    if (error instanceof NoReplyError) return [blame(explainSilence(subject, new URL(base), error), address)];
    throw error;
  }
}

/** Names the setting of an address at which nothing is as it should be: the address itself may be wrong. */
function blame(finding: Finding, { setting }: ExaminedAddress): Finding {
  return setting === undefined
    ? finding
    : { ...finding, words: `${finding.words} The address is the one in ${setting}: is it right?` };
}

function explainSilence(subject: string, { origin, hostname, port, protocol }: URL, silence: NoReplyError): Finding {
  const { code, message } = silence;
  if (isAboutCertificate(code))
    return fault(
      subject,
      'certificate',
      `This computer does not trust the certificate of ${origin} (${message}). Browsers do not, either, unless their systems know its authority. For commands, NODE_EXTRA_CA_CERTS names it.`,
    );
  if (code.startsWith('HPE_') || code.startsWith('ERR_SSL'))
    return fault(subject, 'not-parley', `What listens at ${origin} does not speak ${protocol.slice(0, -1)}.`);
  const words = silences[code]?.({ origin, hostname, port });
  const other = `Nothing answers at ${origin} (${message}): start the server, and its proxy or tunnel if it has one.`;
  return fault(subject, code === 'CREDENTIALS' ? 'settings' : 'no-server', words ?? other);
}

type Place = Pick<URL, 'origin' | 'hostname' | 'port'>;

const nameless = ({ hostname }: Place) => `This computer does not find the name ${hostname}.`;

/** What a silence means, by its code. */
const silences: Readonly<Record<string, ((place: Place) => string) | undefined>> = {
  ENOTFOUND: nameless,
  EAI_AGAIN: nameless,
  TIMEOUT: ({ origin }) =>
    `What listens at ${origin} takes requests and does not answer: the server hangs, or is another program.`,
  BAD_PORT: ({ port }) => `Browsers and commands refuse to use port ${port}: choose another with --port.`,
  CREDENTIALS: ({ origin }) =>
    `The address of ${origin} has a name or a password in it, which browsers do not send: leave it out.`,
};

/** Judges the answer of `/readyz`. Undefined if a server is there and ready. */
function judge({ status, headers, text }: Reply, { subject, base }: ExaminedAddress): Finding | undefined {
  const reply = parseReply(text);
  if (status >= 300 && status < 400)
    return fault(
      subject,
      'redirect',
      `${base} redirects to ${headers.get('location')?.replace(/readyz$/, '')}: programs do not follow. Use that address.`,
    );
  if (status === 403 && isRecord(reply?.error))
    return fault(subject, 'address-refused', `The server refuses this address: ${String(reply.error.message)}`);
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
    `The server at ${base} is not that of ${own.dataDir}: name its folder with --data-dir, or examine it by its address with --url.`,
  );
}

const pastProxy =
  'this address goes past the proxy, or the proxy does not pass on the Host that browsers send, as docs/deploy.md shows.';

async function findPageFault({ subject, base, isForPrograms }: ExaminedAddress): Promise<readonly Finding[]> {
  const { status, headers } = await request(base, { headers: { accept: 'text/html' } });
  if (status === 200 && headers.get('content-type')?.startsWith('text/html')) return [];
  if (status === 403 && isForPrograms) return []; // people open it elsewhere
  if (status === 403) return [fault(subject, 'address-refused', `The page does not open at ${base}: ${pastProxy}`)];
  const words = `There is no page at ${base} (it gives ${status}): in a checkout, run npm run build and start again.`;
  return [fault(subject, 'no-page', words)];
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

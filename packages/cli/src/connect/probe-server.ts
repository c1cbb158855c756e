import { randomUUID } from 'node:crypto';
import { text } from 'node:stream/consumers';
import { isRecord, protocolVersion, type ServerAccess } from '@parleyhq/core';
import { makeToken, WebSocket } from '@parleyhq/server';
import { readVersion } from '../own-package.ts';
import { explainCertificate, noConnection } from '../running-server/running-server.ts';
import { parseReply } from '../running-server/server-http.ts';

/** How long a WebSocket handshake may take, in ms. */
const patience = 5000;

/**
 * Tries to connect with the token that is about to be written into a settings file.
 * @returns false if nothing listens there
 * @throws Error if it is not a Parley server, or the token is not an asker's token there
 */
export async function probeServer({ url, token }: ServerAccess): Promise<boolean> {
  const greeting = await greet(url, token).catch((fault: NodeJS.ErrnoException) => {
    const { code = '', message } = fault;
    if (noConnection.has(code) || /timed out/.test(message)) return undefined;
    const certificate = explainCertificate(url, fault);
    if (certificate) throw new Error(`${certificate.message} The program needs it, too.`, { cause: fault });
    throw new Error(`What answers at ${url} is not a Parley server, or does not let this in. ${message}`, {
      cause: fault,
    });
  });
  if (!greeting) return false;
  const { type, code, message, principal } = greeting;
  if (type === 'welcome') await requireAsker(url, principal);
  else if (code === 'unauthorised') throw new Error(`The server at ${url} does not know this token. ${whereTokensAre}`);
  else if (code === 'unsupported_protocol')
    throw new Error(`The server at ${url} is of another version than this command, ${readVersion()}: ${message}`);
  else throw new Error(`The server at ${url} refuses: ${message}`);
  return true;
}

const whereTokensAre =
  'It has its tokens in its own data directory: name that with --data-dir, or give a token that was made there (parley token create --role asker) with --token.';

/** Connects and returns the first frame of the server. */
function greet(url: string, token: string): Promise<Record<string, unknown>> {
  const socket = new WebSocket(`${url.replace(/^http/, 'ws')}/ws`, { handshakeTimeout: patience });
  const interaction = { supported: true, enabled: false };
  let timer: NodeJS.Timeout | undefined;
  return new Promise<Record<string, unknown>>((resolve, reject) => {
    timer = setTimeout(() => reject(new Error('It timed out.')), 2 * patience);
    socket.on('error', reject);
    socket.on('close', () => reject(new Error('It hung up.')));
    socket.on('unexpected-response', (_, response) => {
      const explain = (words: string) => reject(new Error(`It answers ${response.statusCode}: ${words.slice(0, 300)}`));
      text(response).then(explain, reject);
    });
    socket.on('open', () =>
      socket.send(
        JSON.stringify({ type: 'hello', protocol: protocolVersion, clientId: randomUUID(), interaction, token }),
      ),
    );
    socket.on('message', (data) => {
      const frame = parseReply(String(data));
      if (frame) resolve(frame);
      else reject(new Error('It does not speak JSON.'));
    });
  }).finally(() => {
    clearTimeout(timer);
    socket.terminate();
  });
}

/** @throws Error if the token is not an asker's, unless the server has no access control and accepts any token */
async function requireAsker(url: string, principal: unknown): Promise<void> {
  const role = isRecord(principal) ? principal.role : undefined;
  if (role === 'asker' || (await greet(url, makeToken())).type === 'welcome') return;
  const why = role === 'operator' ? 'may do more than ask' : 'may not ask';
  throw new Error(`This token is a ${role}'s, and ${why}: make one for this with "parley token create --role asker".`);
}

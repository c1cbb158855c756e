import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { isRecord } from '@parleyhq/core';
import { WebSocket } from '@parleyhq/server';
import { parseReply } from '../running-server/server-http.ts';
import type { ExaminedAddress } from './examined-address.ts';
import { type Finding, fault } from './finding.ts';
import { patienceMs } from './request.ts';

/** In characters: how much of a refusal is read. */
const maxLength = 4096;

/** Opens a socket as the page does, or as a program does, which names no origin. */
export async function findSocketFault({ subject, base, isForPrograms }: ExaminedAddress): Promise<readonly Finding[]> {
  const url = new URL('ws', base.replace(/^http/, 'ws'));
  const socket = new WebSocket(url, isForPrograms ? {} : { origin: new URL(base).origin });
  const timer = setTimeout(() => socket.terminate(), patienceMs); // it then fails, or the refusal ends
  const refused = new Promise<Finding>((resolve, reject) => {
    socket.on('unexpected-response', (_, response) => {
      readWords(response).then((words) => resolve(explainResponse(subject, response.statusCode, words)), reject);
    });
  });
  try {
    const found = await Promise.race([once(socket, 'open').then(() => undefined), refused]);
    return found ? [found] : [];
  } catch (error) {
    return [fault(subject, 'no-upgrade', `No WebSocket opens at ${url.href}: ${(error as Error).message}`)];
  } finally {
    clearTimeout(timer);
    socket.on('error', () => undefined); // closing one that is not open yet
    socket.terminate();
  }
}

async function readWords(response: IncomingMessage): Promise<string> {
  let words = '';
  const timer = setTimeout(() => response.destroy(), patienceMs);
  try {
    for await (const chunk of response) {
      words += String(chunk);
      if (words.length >= maxLength) break;
    }
  } catch {
    return words; // it was cut off, and what came explains it
  } finally {
    clearTimeout(timer);
  }
  return words;
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

import { connectWebSocket, type Link, ParleyClient, type Transport } from '@parleyhq/client';
import { closeCodes, wireErrors } from '@parleyhq/core';
import { WebSocket } from '@parleyhq/server';
import { explainedBy } from '../io/topic.ts';
import { readVersion } from '../own-package.ts';
import type { NamedServer } from './named-server.ts';
import { explainStranger, explainUnsent, NoServerError, NotParleyError, tokenHint } from './running-server.ts';

/** Close code of a WebSocket whose connection failed (RFC 6455). */
const abnormalClosure = 1006;

/** Time in ms within which a Parley server would have sent its `welcome`. */
const welcomeMs = 15_000;

export interface ServerUse {
  /** Whether to reconnect if the connection breaks after it was open; otherwise that ends the work. */
  readonly isPatient?: boolean;
  /** Whether a person is present who could answer prompts (INT15). */
  readonly isInteractive?: boolean;
}

/**
 * Connects to a running server, after checking its identity, and disconnects when `work` is done.
 * @throws Error if no server answers, something else does, or it refuses or closes the connection; RefusalError if it refuses a
 *   request
 */
export async function useServer<Result>(
  server: NamedServer,
  work: (client: ParleyClient) => Promise<Result>,
  { isPatient = false, isInteractive = false }: ServerUse = {},
): Promise<Result> {
  let fail: (error: unknown) => void = () => {};
  const failure = new Promise<never>((_, reject) => {
    fail = reject;
  });
  const client = new ParleyClient({
    transport: connectOwnServer(server, fail),
    label: 'parley',
    isInteractive,
    ...(server.token !== undefined && { token: server.token }),
  });
  let wasOpen = false;
  client.subscribe(() => {
    const { connection, closeCode, complaint } = client.state;
    wasOpen ||= connection === 'open';
    if (connection === 'refused' || (complaint !== undefined && !isPatient)) fail(explainRefusal(client));
    else if (wasOpen && isPatient) return;
    else if (closeCode === abnormalClosure && !wasOpen) void findWhoListens(server).then(fail);
    else if (closeCode !== undefined) fail(new Error('The server closed the connection.'));
  });
  const limit = setTimeout(() => wasOpen || fail(new NotParleyError(server.place)), welcomeMs);
  client.start();
  try {
    return await Promise.race([work(client), failure]);
  } finally {
    clearTimeout(limit);
    client.stop();
  }
}

/** Checks the server's identity before each connection, because another program may listen on its port meanwhile (SEC2). */
function connectOwnServer(server: NamedServer, onStranger: (error: unknown) => void): Transport {
  const connect = connectWebSocket(`${server.url.replace(/^http/, 'ws')}/ws`, WebSocket);
  return (handlers) => {
    let link: Link | undefined;
    let isClosed = false;
    server.check().then(
      () => {
        if (!isClosed) link = connect(handlers);
      },
      (error: unknown) => {
        if (error instanceof NoServerError) handlers.onClose(abnormalClosure, '');
        else onStranger(error);
      },
    );
    return {
      send: (text) => link?.send(text),
      close: () => {
        isClosed = true;
        link?.close();
      },
    };
  };
}

/** Explains why the server refused, from its message or its close code. */
function explainRefusal({ state: { complaint, closeCode } }: ParleyClient): Error {
  const words = complaint ?? 'The server refused the connection.';
  if (closeCode === closeCodes.upgradeRequired || words === wireErrors.unsupported_protocol)
    return new Error(`${words} It is of another release than this command (${readVersion()}): update the older one.`);
  const isToken = closeCode === closeCodes.unauthorised || words === wireErrors.unauthorised;
  return isToken ? explainedBy('token-unknown', new Error(`${words} ${tokenHint}`)) : new Error(words);
}

/** Finds out whether nothing listens, the certificate is not trusted, or something other than a Parley server listens. */
async function findWhoListens(server: NamedServer): Promise<Error> {
  try {
    const limits = { redirect: 'manual', signal: AbortSignal.timeout(welcomeMs) } as const;
    const { status } = await fetch(server.url, { method: 'HEAD', ...limits });
    return explainStranger(server.place, status);
  } catch (error) {
    return explainUnsent(server, error) ?? new NotParleyError(server.place);
  }
}

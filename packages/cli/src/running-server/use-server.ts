import { once } from 'node:events';
import { connect as connectSocket } from 'node:net';
import { connectWebSocket, type Link, ParleyClient, type Transport } from '@parleyhq/client';
import { closeCodes, wireErrors } from '@parleyhq/core';
import { WebSocket } from '@parleyhq/server';
import { readVersion } from '../own-package.ts';
import type { Flags, Settings } from '../settings/settings.ts';
import { NoServerError, NotParleyError, requireOwnServer, tokenHint } from './running-server.ts';
import { toUrlHost } from './url-host.ts';

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
 * Connects to the server that these settings would start, after checking its identity, and disconnects when `work` is done.
 * @throws Error if no server answers, something else does, or it refuses or closes the connection; RefusalError if it refuses a
 *   request
 */
export async function useServer<Result>(
  settings: Settings,
  flags: Flags,
  work: (client: ParleyClient) => Promise<Result>,
  { isPatient = false, isInteractive = false }: ServerUse = {},
): Promise<Result> {
  let fail: (error: unknown) => void = () => {};
  const failure = new Promise<never>((_, reject) => {
    fail = reject;
  });
  const client = new ParleyClient({
    transport: connectOwnServer(settings, flags, fail),
    label: 'parley',
    isInteractive,
    ...(settings.token !== undefined && { token: settings.token }),
  });
  let wasOpen = false;
  client.subscribe(() => {
    const { connection, closeCode, complaint } = client.state;
    wasOpen ||= connection === 'open';
    if (connection === 'refused' || (complaint !== undefined && !isPatient)) fail(explainRefusal(client));
    else if (wasOpen && isPatient) return;
    else if (closeCode === abnormalClosure && !wasOpen) void findWhoListens(settings).then(fail);
    else if (closeCode !== undefined) fail(new Error('The server closed the connection.'));
  });
  const limit = setTimeout(() => wasOpen || fail(new NotParleyError(settings)), welcomeMs);
  client.start();
  try {
    return await Promise.race([work(client), failure]);
  } finally {
    clearTimeout(limit);
    client.stop();
  }
}

/** Checks the server's identity before each connection, because another program may listen on its port meanwhile (SEC2). */
function connectOwnServer(settings: Settings, flags: Flags, onStranger: (error: unknown) => void): Transport {
  const connect = connectWebSocket(`ws://${toUrlHost(settings.host)}:${settings.port}/ws`, WebSocket);
  return (handlers) => {
    let link: Link | undefined;
    let isClosed = false;
    requireOwnServer(settings, flags).then(
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
  return new Error(isToken ? `${words} ${tokenHint}` : words);
}

/** Finds out whether nothing listens, or something other than a Parley server. */
async function findWhoListens(settings: Settings): Promise<Error> {
  const socket = connectSocket({ host: settings.host, port: settings.port });
  try {
    await once(socket, 'connect', { signal: AbortSignal.timeout(welcomeMs) });
    return new NotParleyError(settings);
  } catch {
    return new NoServerError(settings);
  } finally {
    socket.destroy();
  }
}

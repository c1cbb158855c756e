import { connectWebSocket, ParleyClient } from '@parleyhq/client';
import { WebSocket } from '@parleyhq/server';
import { NoServerError, requireOwnServer } from './own-server.ts';
import type { Flags, Settings } from './settings.ts';
import { toUrlHost } from './url-host.ts';

/** What a socket reports when nothing answered at all. */
const abnormalClosure = 1006;

/**
 * Connects to the server that these settings would start, once it is known to be that, and disconnects when `work` is done. It never reconnects:
 * a command either succeeds or says why not.
 * @throws Error where no server answers, or it refuses or closes the connection; RefusalError where it refuses a request
 */
export async function useServer<Result>(
  settings: Settings,
  flags: Flags,
  work: (client: ParleyClient) => Promise<Result>,
): Promise<Result> {
  const { host, port, token } = settings;
  await requireOwnServer(settings, flags);
  const client = new ParleyClient({
    transport: connectWebSocket(`ws://${toUrlHost(host)}:${port}/ws`, WebSocket),
    label: 'parley',
    isInteractive: false, // it is nobody who could answer a prompt
    ...(token !== undefined && { token }),
  });
  const failure = new Promise<never>((_, reject) => {
    client.subscribe(() => {
      const { connection, closeCode, complaint } = client.state;
      if (complaint !== undefined) reject(new Error(complaint));
      else if (connection === 'connecting' && closeCode === abnormalClosure) reject(new NoServerError(settings));
      else if (closeCode !== undefined) reject(new Error('The server closed the connection.'));
    });
  });
  client.start();
  try {
    return await Promise.race([work(client), failure]);
  } finally {
    client.stop();
  }
}

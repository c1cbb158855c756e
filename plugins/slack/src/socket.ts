import { isRecord } from '@parleyhq/core';
import { SocketModeClient } from '@slack/socket-mode';
import type { SlackConfig } from './config.ts';
import { clientOptions } from './slack.ts';
import { toSlackError } from './slack-error.ts';

/** What Slack delivers. */
export interface Envelope {
  readonly type: string;
  readonly body: unknown;
}

/** Handles an envelope, and returns the acknowledgement. If it throws, Slack gets none, and delivers it again. */
export type HandleEnvelope = (envelope: Envelope, acknowledge: () => Promise<void>) => Promise<object | undefined>;

/**
 * Holds one connection of Socket Mode. Resolves when Slack wants another in its place, or the signal aborts.
 *
 * The client of the library reconnects after 5 seconds only, and leaves a rejection unhandled if that fails; so each connection has
 * a client of its own, and the next is opened while this one closes.
 * @throws Error if it cannot be opened, or is lost
 */
export function holdConnection(config: SlackConfig, handle: HandleEnvelope, signal: AbortSignal): Promise<void> {
  const { logger, options } = clientOptions(config);
  const client = new SocketModeClient({
    ...{ appToken: config.appToken, logger, clientOptions: options },
    autoReconnectEnabled: false,
  });
  const close = () => void client.disconnect().catch(() => undefined); // it is closed either way
  return new Promise<void>((resolve, reject) => {
    const end = (error?: Error) => {
      signal.removeEventListener('abort', stop);
      if (error) reject(error);
      else resolve();
    };
    const stop = () => {
      end();
      close();
    };
    client.on('slack_event', ({ ack, type, body }: Envelope & { ack: (response?: object) => Promise<void> }) => {
      let isAcknowledged = false;
      const acknowledge = async (response?: object) => {
        if (isAcknowledged) return;
        isAcknowledged = true;
        await ack(response).catch(() => undefined); // the connection was lost: delivered again on the next
      };
      handle({ type, body }, acknowledge).then(acknowledge, () => undefined); // logged by the handler
    });
    client.on('ws_message', (data: unknown) => {
      if (isDisconnect(data)) end(); // the client closes this connection itself
    });
    client.once('disconnected', () => end(new Error('The connection to Slack was lost.')));
    signal.addEventListener('abort', stop);
    if (signal.aborted) stop();
    else
      client.start().then(
        () => {
          if (signal.aborted) close();
        },
        (error: unknown) => end(error === undefined ? new Error('Slack closed the connection.') : toSlackError(error)),
      );
  });
}

function isDisconnect(data: unknown): boolean {
  if (typeof data !== 'string' || !data.includes('"disconnect"')) return false;
  try {
    const message: unknown = JSON.parse(data);
    return isRecord(message) && message.type === 'disconnect';
  } catch {
    return false; // the client ignores it, too
  }
}

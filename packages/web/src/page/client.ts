import { connectWebSocket, ParleyClient } from '@parleyhq/client';
import { describeDevice, preferences, readClientId } from './tab.ts';

/** This tab's client, to the server that the page came from. */
export function makeClient(): ParleyClient {
  const url = new URL('/ws', location.href);
  url.protocol = url.protocol === 'https:' ? 'wss:' : 'ws:';
  return new ParleyClient({
    transport: connectWebSocket(url.href),
    clientId: readClientId(),
    label: describeDevice(),
    isInteractive: preferences.isInteractive,
    storage: sessionStorage,
  });
}

/** A session is called after its first message until somebody names it. */
export function nameSession(text: string): string {
  const line = text.trim().split('\n', 1)[0] ?? '';
  return line.length <= 60 ? line : `${line.slice(0, 59)}…`;
}

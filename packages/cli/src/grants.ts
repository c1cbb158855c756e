import { randomUUID } from 'node:crypto';
import { type Grant, protocolVersion, type ServerFrame } from '@parleyhq/core';
import { WebSocket } from '@parleyhq/server';
import { toLine } from './line.ts';
import type { Settings } from './settings.ts';

/** `parley grants list`: one line a grant, to be read; with `--json` one line of JSON each. */
export async function listGrants(settings: Settings): Promise<void> {
  const { grants } = (await ask(settings, { type: 'list_grants' })) as { grants: readonly Grant[] };
  for (const grant of grants)
    process.stdout.write(settings.json ? `${JSON.stringify(grant)}\n` : toLine(describe(grant)));
  if (grants.length === 0 && !settings.json) process.stdout.write('Nothing is granted.\n');
}

/** `parley grants revoke <id>` @throws Error where there is no such grant */
export async function revokeGrant(settings: Settings, grantId: string): Promise<void> {
  await ask(settings, { type: 'revoke_grant', grantId });
  if (!settings.json) process.stdout.write(`Revoked ${grantId}.\n`);
}

function describe({ id, plugin, toolName, key, scope, sessionId, by, createdAt, expiresAt, uses }: Grant): string {
  const where = sessionId === undefined ? scope : `${scope} ${sessionId}`;
  const who = by ? (by.label ?? by.principal) : `plugin ${plugin}`;
  const until = expiresAt === undefined ? '' : `, until ${expiresAt}`;
  return `${id}  ${toolName ?? plugin} ${key}  ${where}  by ${who} at ${createdAt}${until}, used ${uses} times`;
}

/** One frame to the server that these settings would start, and its reply. @throws Error what it says instead */
function ask({ host, port, token }: Settings, frame: object): Promise<unknown> {
  const requestId = randomUUID();
  const name = host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host.includes(':') ? `[${host}]` : host;
  const socket = new WebSocket(`ws://${name}:${port}/ws`);
  return new Promise<unknown>((resolve, reject) => {
    socket.on('error', () => reject(new Error(`No server answers at ${host}:${port}.`)));
    socket.on('close', () => reject(new Error('The server closed the connection.')));
    socket.on('open', () => {
      socket.send(
        JSON.stringify({ type: 'hello', protocol: protocolVersion, label: 'parley', ...(token && { token }) }),
      );
    });
    socket.on('message', (data) => {
      const answer = JSON.parse(String(data)) as ServerFrame;
      if (answer.type === 'welcome') socket.send(JSON.stringify({ ...frame, requestId }));
      else if (answer.type === 'error') reject(new Error(answer.message));
      else if (answer.type === 'reply' && answer.requestId === requestId) {
        if (answer.ok) resolve(answer.result);
        else reject(new Error(answer.error.message));
      }
    });
  }).finally(() => socket.close());
}

import { type Grant, isReviewerOff, nameOf } from '@parleyhq/core';
import { formatMoment } from '@parleyhq/core/transcript';
import { toJsonLine, toLine } from '../io/line.ts';
import { addHint } from '../running-server/explain-error.ts';
import { findServer } from '../running-server/named-server.ts';
import { useServer } from '../running-server/use-server.ts';
import type { ServerFlags } from '../settings/flags.ts';

/** `parley grants list`: one line per grant; with `--json`, one line of JSON each. */
export async function listGrants(flags: ServerFlags): Promise<void> {
  const server = await findServer(flags);
  const { json } = server.settings;
  const grants = await useServer(server, (client) => client.listGrants());
  for (const grant of grants) process.stdout.write(json ? toJsonLine(grant) : toLine(describe(grant)));
  if (grants.length === 0 && !json) process.stdout.write('Nothing is granted.\n');
}

/** `parley grants revoke <id>` @throws RefusalError `not_found` if there is no such grant */
export async function revokeGrant(grantId: string, flags: ServerFlags): Promise<void> {
  const server = await findServer(flags);
  const { json } = server.settings;
  await useServer(server, (client) => client.revokeGrant(grantId)).catch((error: unknown) =>
    addHint(error, { not_found: '"parley grants list" prints the ids of the grants that hold.' }),
  );
  if (!json) process.stdout.write(`Revoked ${grantId}.\n`);
}

function describe(grant: Grant): string {
  return isReviewerOff(grant) ? describeOff(grant) : describeGrant(grant);
}

/** Describes that people are asked about a tool although a policy has it reviewed (LESS3). */
function describeOff({ id, toolName = '', sessionId, takenOffBy, createdAt }: Grant): string {
  const where = sessionId === undefined ? 'every session' : `session ${sessionId}`;
  const who = takenOffBy ? ` by ${nameOf(takenOffBy)}` : '';
  return `${id}  no reviewer passes ${toolName}  ${where}  taken off${who} at ${formatMoment(createdAt)}`;
}

function describeGrant({
  id,
  plugin,
  toolName,
  key,
  scope,
  sessionId,
  by,
  createdAt,
  expiresAt,
  uses,
  rule,
}: Grant): string {
  const where = sessionId === undefined ? scope : `${scope} ${sessionId}`;
  const who = by ? `${nameOf(by)}${by.label === undefined ? '' : ` (${by.label})`}` : `plugin ${plugin}`;
  const until = expiresAt === undefined ? '' : `, until ${formatMoment(expiresAt)}`;
  const what = rule ? `${JSON.stringify(rule.label)} (rule)` : key;
  return `${id}  ${toolName ?? plugin} ${what}  ${where}  by ${who} at ${formatMoment(createdAt)}${until}, used ${uses} times`;
}

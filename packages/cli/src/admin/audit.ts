import { type AuditActor, type AuditClaim, type AuditEntry, type AuditRow, serverChain } from '@parleyhq/core';
import { type AuditedSession, openAuditReader } from '@parleyhq/server';
import { forTerminal, toLine } from '../io/line.ts';
import type { DataFlags } from '../settings/flags.ts';
import { readSettings } from '../settings/settings.ts';
import { findDatabase } from '../store/open-store.ts';

export interface AuditFlags extends DataFlags {
  readonly session?: string;
}

/** `parley audit`: prints who settled what, and verifies that no row was altered (SEC7). @throws Error naming each altered row */
export async function printAudit({ session, json, ...flags }: AuditFlags): Promise<void> {
  const settings = await readSettings(flags, process.env, process.cwd());
  const { dataDir } = settings;
  const database = findDatabase(settings, 'audit');
  const reader = openAuditReader(database);
  try {
    let count = 0;
    const faults: string[] = [];
    const chains = session === undefined ? [serverChain, ...reader.sessions()] : [session];
    for (const id of chains) {
      const audited = id === serverChain && session === undefined ? reader.readServer() : reader.read(id);
      if (!audited) throw new Error(`There is no session "${id}" in ${dataDir}, and there never was.`);
      for (const row of audited.rows)
        process.stdout.write(json ? forTerminal(`${toJson(row)}\n`) : toLine(describe(row)));
      count += audited.rows.length;
      faults.push(...describeFaults(audited));
    }
    if (faults.length > 0) throw new Error(`The audit log was altered.\n${faults.join('\n')}`);
    if (!json) process.stdout.write(`${count} ${count === 1 ? 'row' : 'rows'}, none altered.\n`);
  } finally {
    reader.close();
  }
}

function describeFaults({ sessionId, faults }: AuditedSession): string[] {
  const chain = sessionId === serverChain ? 'the server' : `session ${sessionId}`;
  return faults.map(({ n, problem }) => `${chain}, row ${n}: it ${problem}.`);
}

/** The row as one JSON object, with the hash that chains it to the row before. */
export function toJson({ text, hash }: Pick<AuditRow, 'text' | 'hash'>): string {
  return JSON.stringify({ ...(readEntry(text) ?? { text }), hash });
}

type StoredEntry = AuditEntry & { readonly sessionId?: string };

function describe({ n, text }: AuditRow): string {
  const entry = readEntry(text);
  if (!entry) return `row ${n}: ${text}`;
  return `${entry.at}  ${entry.sessionId ?? 'server'} ${n}  ${describeEntry(entry)}`;
}

function describeEntry(entry: AuditEntry): string {
  switch (entry.event) {
    case 'session_deleted':
      return `the session was deleted ${entry.by ? byWhom(entry.by) : 'when it expired'}`;
    case 'session_changed': {
      const { permissionMode, agent, grantId, by } = entry;
      const parts = [
        permissionMode && `mode ${permissionMode}`,
        agent && `agent ${agent}`,
        grantId && `the rule of grant ${grantId}`,
      ].filter(Boolean);
      return `the session has ${parts.join(' and ')} ${byWhom(by)}`;
    }
    case 'tool_call': {
      const { toolName, toolCallId, outcome, grantId, reviewer } = entry;
      const by = outcome === 'tool' ? 'its tool' : `a ${outcome}`;
      return `${toolName} ${toolCallId}  decided by ${by}${grantId === undefined ? '' : ` ${grantId}`}${nameReviewer(reviewer)}`;
    }
    case 'approval_passed': {
      const { toolName, toolCallId, outcome, reviewer } = entry;
      return `${toolName} ${toolCallId}  an approval was let through by a ${outcome}${nameReviewer(reviewer)}`;
    }
    case 'reviewer_removed': {
      const where = entry.session === undefined ? '' : ` in ${entry.session}`;
      return `reviewers were taken off ${entry.toolName}${where}, as ${entry.id}, ${byWhom(entry.by)}`;
    }
    case 'reviewer_restored':
      return `${entry.id} ${describeRevocation(entry)}`;
    case 'token_created':
      return `token ${entry.tokenId} was created: ${entry.name ?? 'no name'}, ${entry.role}${entry.owner === undefined ? '' : `, of ${entry.owner}`}`;
    case 'token_revoked':
      return `token ${entry.tokenId} was revoked`;
    case 'logged_in':
      return `${entry.principal} logged in, as ${entry.login}`;
    case 'logged_in_again':
      return `${entry.principal} showed the token again, as ${entry.login}`;
    case 'logged_out':
      return `log-in ${entry.login} ended`;
    case 'account_linked':
      return `${entry.notifier} account ${entry.account} was linked to ${entry.principal}, as ${entry.linkId}`;
    case 'account_unlinked':
      return `link ${entry.linkId} ended`;
    case 'passkey_added':
      return `passkey ${entry.passkeyId} of ${entry.person} was added${entry.fingerprint ? `, ${entry.fingerprint}` : ''}`;
    case 'passkey_removed':
      return `passkey ${entry.passkeyId} of ${entry.person} was removed`;
    case 'grant_given':
    case 'grant_used': {
      const { event, grantId, plugin, toolName, scope, session, by } = entry;
      const where = session === undefined ? '' : ` in ${session}`;
      const how = event === 'grant_given' ? `given ${by ? byWhom(by) : 'by the plugin'}` : 'used';
      return `grant ${grantId} of ${toolName ?? plugin} (${scope})${where} was ${how}`;
    }
    case 'grant_revoked':
      return `grant ${entry.grantId} ${describeRevocation(entry)}`;
    case 'interaction_vote':
    case 'interaction_escalated':
    case 'interaction_response':
    case 'interaction_expired':
    case 'interaction_closed':
      return describeClaim(entry);
    default:
      return entry satisfies never;
  }
}

const nameReviewer = (name: string | undefined) => (name === undefined ? '' : ` ${name}`);

function describeRevocation({
  cause,
  by,
}: Extract<AuditEntry, { event: 'grant_revoked' | 'reviewer_restored' }>): string {
  switch (cause) {
    case 'plugin':
      return 'was revoked by its plugin';
    case 'token_revoked':
      return "was revoked with its giver's token";
    case 'passkey_removed':
      return 'ended with a passkey of its giver';
    case 'session_deleted':
      return 'ended with its session';
    case 'replaced':
      return 'was replaced by a newer one';
    case 'person':
    case undefined: // written by an earlier release, which recorded only revocations by people
      return by ? `was revoked by ${by.name ?? by.principal}` : 'was revoked';
    default:
      return cause satisfies never;
  }
}

function describeClaim(entry: AuditClaim): string {
  const { toolName, interactionId, outcome, scope, ruleId, isEdited, late, grantId, credentialId, struck = [] } = entry;
  const marks = [
    scope,
    ruleId !== undefined && `rule ${ruleId}`,
    isEdited && 'edited',
    late && 'late',
    grantId !== undefined && `grant ${grantId}`,
    credentialId !== undefined && `passkey ${credentialId}`,
    struck.length > 0 && `without ${struck.join(', ')}, revoked`,
  ].filter(Boolean);
  const decision = entry.event === 'interaction_vote' ? `vote: ${outcome}` : outcome;
  const what = marks.length > 0 ? `${decision} (${marks.join(', ')})` : decision;
  return `${toolName} ${interactionId}  ${what} ${byWhom(entry.by)}`;
}

const byWhom = (by: AuditActor | undefined) => (by ? `by ${describeWitness(by)}` : 'by nobody');

function describeWitness({ principal, name, role, label, transport, address }: AuditActor): string {
  const who = name === undefined ? principal : `${name} (${principal})`;
  const from = [address, label && JSON.stringify(label)].filter(Boolean).join(' ');
  return `${who}${role ? `, ${role}` : ''}${from ? `, from ${from}` : ''} over ${transport}`;
}

/** Parses a row; undefined if it was altered so that it is no longer JSON. */
function readEntry(text: string): StoredEntry | undefined {
  try {
    return JSON.parse(text) as StoredEntry;
  } catch {
    return undefined;
  }
}

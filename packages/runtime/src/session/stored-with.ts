import { type Decision, findCall, type Head, type Instant, ownerId, type SessionId } from '@parleyhq/core';
import type { Visibility } from '../tabs/visibility.ts';
import { giverRecords, grantsOf } from './grant-from-answer.ts';
import type { Effects, PerformOptions } from './perform-options.ts';
import { sealSecrets } from './sealed-secrets.ts';
import type { SessionPorts } from './session-ports.ts';

/** Session that a command was decided on. */
export interface DecidedSession {
  readonly id: SessionId;
  readonly head: Head;
  readonly visibility: Pick<Visibility, 'watchersOf'>;
  readonly isOwned: boolean;
}

/**
 * Returns what is stored with an accepted command in addition to its events: the voters it rests on and, for an answer, the
 * grants that it gives (APR2), the credential of their giver (SEC9), and its secrets, sealed to the node that runs the call (INT17).
 * @throws RefusalError as `sealSecrets`
 */
export function storedWith(
  { given, voters = [] }: Extract<Decision, { kind: 'accepted' }>,
  session: DecidedSession,
  options: PerformOptions,
  now: Instant,
  { pluginOf, secretExchange }: Pick<SessionPorts, 'pluginOf' | 'secretExchange'>,
): Effects {
  const votes = voters.filter(({ id }) => id !== ownerId); // the server's own token cannot be revoked
  const { records = [], grants = [] } = options;
  if (!given) return { records, grants, voters: votes, answer: undefined };
  const { toolName, toolCallId } = given.request;
  const plugin = pluginOf(toolName, session.head.turn?.agent);
  const hiddenFor = session.visibility.watchersOf(toolCallId);
  const isOpen = findCall(session.head, toolCallId) !== undefined; // an ended call keeps no records
  const noted = isOpen
    ? [...giverRecords(given, options.credential ?? {}), ...sealSecrets(secretExchange, session, given)]
    : [];
  return {
    records: noted.length > 0 ? [...records, ...noted] : records,
    grants: grantsOf({ id: session.id, plugin, now, hiddenFor }, given),
    voters: votes,
    answer: given.answer,
  };
}

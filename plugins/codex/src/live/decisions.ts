import { isRecord } from '@parleyhq/core';
import type { Choice } from './card.ts';
import { quoteName, quoteWords, ruleWords } from './words.ts';

/** A choice, and the result with which it answers Codex. */
export interface Answering extends Choice {
  readonly result: object;
}

/** What a consent for the session covers. */
export type Covered = 'exactly this' | { readonly label: string };

/** What Codex lets a client answer if it names nothing. */
const usual = ['accept', 'decline', 'cancel'];

/**
 * Returns the choices for the approval of a command: those that Codex offers, and `decline`, which it always takes. What is not
 * understood, or cannot be named in exact words, is not offered.
 * @param what - what `acceptForSession` covers: exactly what is shown, or more in these words; undefined if that cannot be named
 */
export function toChoices(offered: unknown, what: Covered | undefined): Answering[] {
  const decisions: unknown[] = Array.isArray(offered) ? offered : usual;
  const all = decisions.includes('decline') ? decisions : [...decisions, 'decline'];
  return all.flatMap((decision, index) => {
    const meant = readDecision(decision, what);
    const id = typeof decision === 'string' ? decision : String(index);
    return meant ? [{ id, ...meant, result: { decision } }] : [];
  });
}

/** The choices for the approval of a change of files, which are always the same. */
export function toChangeChoices(): Answering[] {
  return toChoices(['accept', 'acceptForSession', 'decline', 'cancel'], { label: 'changes of the same files' });
}

/** What a decision that Codex offers denies for good: an approval has no place for it. */
export function findLastingDenials(offered: unknown): string[] {
  return (Array.isArray(offered) ? offered : []).flatMap((decision) => {
    const { host, action } = readNetworkRule(decision) ?? {};
    return action === 'deny' ? [String(host)] : [];
  });
}

function readDecision(decision: unknown, what: Covered | undefined): Omit<Choice, 'id'> | undefined {
  switch (decision) {
    case 'accept':
      return { means: 'once' };
    case 'acceptForSession':
      return what && { means: 'session', ...(what !== 'exactly this' && what) };
    case 'decline':
    case 'cancel':
      return { means: decision };
    default:
      return lasting(readCommandRule(decision) ?? readHostRule(decision));
  }
}

function lasting(label: string | undefined): Omit<Choice, 'id'> | undefined {
  return label === undefined ? undefined : { means: 'always', label };
}

function readCommandRule(decision: unknown): string | undefined {
  const amendment = soleMember(soleMember(decision, 'acceptWithExecpolicyAmendment'), 'execpolicy_amendment');
  const isRule =
    Array.isArray(amendment) && amendment.length > 0 && amendment.every((word) => typeof word === 'string');
  if (!isRule) return undefined;
  return ruleWords`every command that begins with ${quoteWords(amendment)}, kept in Codex’s own rules for all sessions`;
}

function readHostRule(decision: unknown): string | undefined {
  const { host, action } = readNetworkRule(decision) ?? {};
  if (action !== 'allow' || typeof host !== 'string') return undefined;
  return ruleWords`every connection to ${quoteName(host)}, kept in Codex’s own rules for all sessions`;
}

function readNetworkRule(decision: unknown): Readonly<Record<string, unknown>> | undefined {
  const amendment = soleMember(soleMember(decision, 'applyNetworkPolicyAmendment'), 'network_policy_amendment');
  return isRecord(amendment) && Object.keys(amendment).every((name) => name === 'host' || name === 'action')
    ? amendment
    : undefined;
}

/** Returns a member, if there is no other: an amendment with more than what is described here is not offered. */
function soleMember(value: unknown, name: string): unknown {
  return isRecord(value) && Object.keys(value).length === 1 ? value[name] : undefined;
}

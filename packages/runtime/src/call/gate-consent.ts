import {
  type Actor,
  type ApprovalDemand,
  type ApprovalScope,
  type Asked,
  type CallDescription,
  canonicalise,
  giverOf,
  isPersonal,
  isRecord,
  type Json,
  mayAnswer,
  needsSeveral,
  riskLevel,
  showArgs,
} from '@parleyhq/core';
import type { Asking } from '../tools/policy.ts';

/** The consent that the gate obtained for this call with these arguments: from a person, or from a grant used instead (APR3). */
export interface GateConsent {
  readonly scope: ApprovalScope;
  readonly by: Actor;
  readonly reason?: string | undefined;
  /** The people asked by the gate, and how many of them decided (TEAM3). */
  readonly asking?: Asking;
  /** Whether a grant was used and nobody was asked. */
  readonly isGrant: boolean;
  /** The tool's description as shown at the gate; without a subject the bare arguments were shown. */
  readonly shown: CallDescription;
}

/**
 * Whether the gate's consent also answers a `ctx.approve` of the same call, so that nobody is asked again: it must ask for the
 * same or less, of people who could have answered at the gate. A grant counts only if lasting consent is offered.
 */
export function answersToo(
  consent: GateConsent,
  demand: CallDescription & Pick<ApprovalDemand, 'scopes'>,
  asked: Asked,
  args: Json,
): boolean {
  const { scopes = ['once', 'session'] } = demand;
  if (!mayAnswer(giverOf(consent), asked)) return false;
  if (consent.isGrant && (isPersonal(asked) || !scopes.includes(consent.scope))) return false;
  return showsNoMore(consent.shown, demand, args);
}

/**
 * Whether the consent counts for a demand on which several people must agree: the gate must have asked as many of the same people
 * (TEAM3).
 */
export function answersForAll({ asking, isGrant }: GateConsent, demand: Asking): boolean {
  if (!needsSeveral(demand)) return true;
  const whom = ({ audience, decide }: Asking) => canonicalise({ audience, decide });
  return !isGrant && asking !== undefined && whom(asking) === whom(demand);
}

/** Whether a demand shows no text, subject or risk that the gate has not shown. */
export function showsNoMore(
  shown: CallDescription,
  { title, prompt, risk, subject }: CallDescription,
  args: Json,
): boolean {
  const isRead = (words: string | undefined) => words === undefined || words === shown.title || words === shown.prompt;
  const { text } = subject ?? showArgs(args);
  const isSeen = shown.subject ? text === shown.subject.text : isShownBy(text, args);
  return isSeen && isRead(title) && isRead(prompt) && riskLevel(risk) <= riskLevel(shown.risk);
}

/**
 * Whether a text is the arguments, one of their strings, or lines that each are one. Anything else may be more than was shown.
 */
function isShownBy(text: string, args: Json): boolean {
  const texts = new Set(textsOf(args).map((part) => part.trim()));
  if (text === showArgs(args).text || texts.has(text.trim())) return true;
  const lines = text.split('\n').map((line) => line.trim());
  return lines.every((line) => texts.has(line));
}

function textsOf(value: Json): string[] {
  if (typeof value === 'string') return [value];
  if (Array.isArray(value)) return value.flatMap(textsOf);
  return isRecord(value) ? Object.values(value as { [key: string]: Json }).flatMap(textsOf) : [];
}

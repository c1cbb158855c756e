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

/** The yes of the gate to this call with these arguments: of a person now, or of a grant that stands for one (APR3). */
export interface GateConsent {
  readonly scope: ApprovalScope;
  readonly by: Actor;
  readonly reason?: string | undefined;
  /** Whom the gate asked, and how many of them decided (TEAM3). */
  readonly asking?: Asking;
  /** Nobody was asked this time. */
  readonly isGrant: boolean;
  /** What the gate showed in the tool's own words; the bare arguments where it has no subject. */
  readonly shown: CallDescription;
}

/**
 * Whether the gate's yes answers a `ctx.approve` of the same call, which then asks nobody again: that asks for the same or
 * less, of those who could have answered it. A grant counts only where lasting consent is offered.
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
  return isWithin(consent.shown, demand, args);
}

/** Where several must agree, the yes of the gate is theirs if it asked as many of the same people (TEAM3). */
export function answersForAll({ asking, isGrant }: GateConsent, demand: Asking): boolean {
  if (!needsSeveral(demand)) return true;
  const whom = ({ audience, decide }: Asking) => canonicalise({ audience, decide });
  return !isGrant && asking !== undefined && whom(asking) === whom(demand);
}

/** Whether it shows no word, no subject and no risk that the gate has not shown. */
function isWithin(shown: CallDescription, { title, prompt, risk, subject }: CallDescription, args: Json): boolean {
  const isRead = (words: string | undefined) => words === undefined || words === shown.title || words === shown.prompt;
  const { text } = subject ?? showArgs(args);
  const isSeen = shown.subject ? text === shown.subject.text : isShownBy(text, args);
  return isSeen && isRead(title) && isRead(prompt) && riskLevel(risk) <= riskLevel(shown.risk);
}

/** Whether a text is the arguments, one of their texts, or lines that each are one. Anything else may be more than was shown. */
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

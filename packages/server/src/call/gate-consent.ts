import {
  type Actor,
  type ApprovalDemand,
  type ApprovalScope,
  type Asked,
  isPersonal,
  isRecord,
  type Json,
  mayAnswer,
} from '@parleyhq/core';
import { giverOf } from '../grant/grant-book.ts';
import { showArgs } from './show-args.ts';

/** The yes of the gate to this call with these arguments: of a person now, or of a grant that stands for one (APR3). */
export interface GateConsent {
  readonly scope: ApprovalScope;
  readonly by: Actor;
  readonly reason?: string | undefined;
  /** Nobody was asked this time. */
  readonly isGrant: boolean;
}

/**
 * Whether the gate's yes answers a `ctx.approve` of the same call, which then asks nobody again: it is asked of those who
 * could have answered it, and shows nothing but what the gate has shown. A grant counts only where lasting consent is offered.
 */
export function answersToo(
  consent: GateConsent,
  { subject, scopes = ['once', 'session'] }: Pick<ApprovalDemand, 'subject' | 'scopes'>,
  asked: Asked,
  args: Json,
) {
  if (!mayAnswer(giverOf(consent), asked)) return false;
  if (consent.isGrant && (isPersonal(asked) || !scopes.includes(consent.scope))) return false;
  return subject === undefined || isShownBy(subject.text, args);
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

import { type Device, type InteractionRequest, needsReason, showHidden } from '@parleyhq/core';
import type { Subject } from '../../auth/ticket.ts';

/** The answer that a button of a notification gives. */
export type ButtonAction = Subject<'button'>['action'];

/** In characters: what a lock screen shows completely. */
const maxSubjectLength = 80;

/** Returns the answers that a notification of this prompt may offer on this device; none that need a reason or a passkey. */
export function buttonsFor({ detail }: Pick<Device, 'detail'>, prompt: InteractionRequest): readonly ButtonAction[] {
  const { interactionType, risk, stepUp, subject, inputSchema, visibility, approvalScopes: scopes = ['once'] } = prompt;
  if (interactionType !== 'approval' || inputSchema) return [];
  const isWhole = subject !== undefined && isShownWhole(subject.text);
  const isOffered = detail === 'subject' && risk !== 'high' && !stepUp && scopes.includes('once');
  const mayAllow = isOffered && isWhole && visibility === undefined;
  const offered: readonly ButtonAction[] = mayAllow ? ['deny', 'approve'] : ['deny'];
  return offered.filter((action) => !needsReason(prompt, action));
}

/** Whether a text is one short line without invisible characters. */
function isShownWhole(text: string): boolean {
  return text.length <= maxSubjectLength && !/[\r\n\t]/.test(text) && showHidden(text) === text;
}

import {
  type Device,
  type Epoch,
  type InteractionRequest,
  needsReason,
  type SessionId,
  showHidden,
} from '@parleyhq/core';
import * as z from 'zod';
import { Seal } from './seal.ts';

const buttonSchema = z.object({
  epoch: z.string(),
  device: z.string(),
  sessionId: z.string(),
  interactionId: z.string(),
  toolCallId: z.string(),
  digest: z.string(),
  action: z.enum(['approve', 'deny']),
});

/** What pressing a button of a notification means (NTF2). */
export type Button = z.infer<typeof buttonSchema>;

/** What a button answers. */
export type ButtonAction = Button['action'];

/** In characters: what a lock screen shows whole. */
const maxSubjectLength = 80;

/** The answers that a notification of this prompt may offer on this device: none that would need a reason. */
export function buttonsFor({ detail }: Pick<Device, 'detail'>, prompt: InteractionRequest): readonly ButtonAction[] {
  const { interactionType, risk, subject, inputSchema, visibility, approvalScopes: scopes = ['once'] } = prompt;
  if (interactionType !== 'approval' || inputSchema) return [];
  const isWhole = subject !== undefined && isShownWhole(subject.text);
  const isOffered = detail === 'subject' && risk !== 'high' && scopes.includes('once');
  const mayAllow = isOffered && isWhole && visibility === undefined;
  const offered: readonly ButtonAction[] = mayAllow ? ['deny', 'approve'] : ['deny'];
  return offered.filter((action) => !needsReason(prompt, action));
}

/** One short line in which nothing is hidden. */
function isShownWhole(text: string): boolean {
  return text.length <= maxSubjectLength && !/[\r\n\t]/.test(text) && showHidden(text) === text;
}

/** Signs buttons and reads them back: nobody else can make one, and none outlives its epoch. */
export class ButtonTokens {
  readonly #seal: Seal;
  readonly #epoch: Epoch;

  constructor(key: string, epoch: Epoch) {
    this.#seal = new Seal(key);
    this.#epoch = epoch;
  }

  make(button: { device: string; sessionId: SessionId; action: ButtonAction }, prompt: InteractionRequest): string {
    const { interactionId, toolCallId, digest } = prompt;
    return this.#seal.close({ ...button, interactionId, toolCallId, digest, epoch: this.#epoch });
  }

  /** Undefined for what was not made here, or in another epoch. */
  read(token: string): Button | undefined {
    const { data } = buttonSchema.safeParse(this.#seal.open(token));
    return data?.epoch === this.#epoch ? data : undefined;
  }
}

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

/** The signed content of a notification's button (NTF2). */
export type Button = z.infer<typeof buttonSchema>;

/** The answer that a button gives. */
export type ButtonAction = Button['action'];

/** In characters: what a lock screen shows completely. */
const maxSubjectLength = 80;

/** Returns the answers that a notification of this prompt may offer on this device; none that require a reason. */
export function buttonsFor({ detail }: Pick<Device, 'detail'>, prompt: InteractionRequest): readonly ButtonAction[] {
  const { interactionType, risk, subject, inputSchema, visibility, approvalScopes: scopes = ['once'] } = prompt;
  if (interactionType !== 'approval' || inputSchema) return [];
  const isWhole = subject !== undefined && isShownWhole(subject.text);
  const isOffered = detail === 'subject' && risk !== 'high' && scopes.includes('once');
  const mayAllow = isOffered && isWhole && visibility === undefined;
  const offered: readonly ButtonAction[] = mayAllow ? ['deny', 'approve'] : ['deny'];
  return offered.filter((action) => !needsReason(prompt, action));
}

/** Whether a text is one short line without invisible characters. */
function isShownWhole(text: string): boolean {
  return text.length <= maxSubjectLength && !/[\r\n\t]/.test(text) && showHidden(text) === text;
}

/** Signs and verifies buttons: nobody else can make one, and they are valid only in their epoch. */
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

  /** Verifies a token. Undefined if it was not signed here or is of another epoch. */
  read(token: string): Button | undefined {
    const { data } = buttonSchema.safeParse(this.#seal.open(token));
    return data?.epoch === this.#epoch ? data : undefined;
  }
}

import { hash } from 'node:crypto';
import {
  type ApprovalDemand,
  type CallDescription,
  type CallResult,
  canonicalise,
  isRecord,
  type Json,
  type Reviewed,
  reviewedSchema,
  showArgs,
} from '@parleyhq/core';
import { isForPeople } from '../tools/policy.ts';
import type { Review } from '../tools/review.ts';
import type { RegisteredTool } from '../tools/tool-registry.ts';
import { reviewCall, toAuthorised } from './call-review.ts';
import type { CallServices } from './call-services.ts';
import type { CallWriter } from './call-writer.ts';
import { showsNoMore } from './gate-consent.ts';
import { type Journal, reviewKey } from './journal.ts';
import type { JudgedReview } from './reviewers.ts';

export interface CallReviewsOptions {
  readonly services: Pick<CallServices, 'toolbox' | 'grants' | 'host'>;
  readonly parts: { readonly journal: Journal; readonly writer: CallWriter };
  readonly registered: RegisteredTool;
  /** Aborts when the call is over. */
  readonly signal: AbortSignal;
}

/** What `ctx.approve` would show, after the configuration has narrowed it. */
type Asked = CallDescription & Pick<ApprovalDemand, 'audience' | 'visibility' | 'decide' | 'reasonRequired'>;

/** Reviews of what one call's handler asks with `ctx.approve` (LESS3). A re-entered call gets the same results again. */
export class CallReviews {
  readonly #options: CallReviewsOptions;
  readonly #found = new Map<string, Reviewed>();
  #atGate: CallDescription | undefined;
  #passed: CallResult['authorised'];

  constructor(options: CallReviewsOptions) {
    this.#options = options;
  }

  /** What passed an approval of the handler in place of a person; of several the last one. */
  get passed(): CallResult['authorised'] {
    return this.#passed;
  }

  /** Notes that a policy or the session's mode passed an approval of the handler. */
  passBy(by: 'policy' | 'mode'): void {
    this.#passed = { by };
  }

  /** Notes what was shown of the call when a reviewer passed it at the gate: it need not see the same again. */
  passedGate(shown: CallDescription): void {
    this.#atGate = shown;
  }

  /** Returns what a reviewer found about the approval of a slot. */
  of(slot: string): Reviewed | undefined {
    return this.#found.get(slot) ?? readNote(this.#options.parts.journal.recorded(reviewKey(slot)))?.reviewed;
  }

  /** Whether a reviewer passes an approval, so that nobody is asked. The result is stored before anybody acts on it. */
  async pass(slot: string, review: Review, asked: Asked, args: Json): Promise<boolean> {
    const { parts, services } = this.#options;
    const { session, call } = parts.writer;
    const { title, prompt, subject = showArgs(args), risk } = asked;
    const described = { title, prompt, subject, risk };
    const isHidden = session.visibility.watchersOf(call.toolCallId) !== undefined;
    if (isHidden || isForPeople(asked) || asked.reasonRequired?.includes('approve')) return false;
    if (parts.writer.hasSecret({ described, args })) return false; // what a person typed as a secret is for the handler alone
    const digest = hash('sha256', canonicalise({ described, args } as Json));
    const note = readNote(parts.journal.recorded(reviewKey(slot)));
    const known = note?.digest === digest ? note : undefined;
    if (known?.isOfGate) this.#atGate = undefined; // used before a restart
    const judged = known ?? (await this.#judge(review, described, args));
    if (!judged) return false;
    const { reviewed, isPassed } = judged;
    this.#found.set(slot, reviewed);
    const isOfGate = judged.isOfGate ?? false;
    if (!known) {
      const { toolCallId, toolName } = call;
      const entry = { toolCallId, toolName, outcome: 'reviewer', reviewer: reviewed.name } as const;
      const isNew = isPassed && !isOfGate; // otherwise the call's own entry says so
      const audit = isNew
        ? [{ event: 'approval_passed', at: new Date(services.host.node.now()).toISOString(), ...entry } as const]
        : [];
      const value: Omit<Note, 'reviewed'> & { reviewed: Reviewed } = { reviewed, isPassed, isOfGate, digest };
      await parts.writer.record(reviewKey(slot), value as unknown as Json, audit);
    }
    if (isPassed && !isOfGate) this.#passed = toAuthorised(reviewed);
    return isPassed;
  }

  async #judge(
    review: Review,
    described: CallDescription,
    args: Json,
  ): Promise<(JudgedReview & { readonly isOfGate?: boolean }) | undefined> {
    const { services, parts, registered, signal } = this.#options;
    const { session, call } = parts.writer;
    const { by, name, reason } = call.authorised ?? {};
    const atGate = this.#atGate;
    if (atGate && by === 'reviewer' && name === review.reviewer && showsNoMore(atGate, described, args)) {
      this.#atGate = undefined; // one pass stands for one question: a second one asks for something else
      return { reviewed: { name, verdict: 'pass', reason: reason ?? '' }, isPassed: true, isOfGate: true };
    }
    const { reviewers } = services.toolbox;
    return reviewCall({ reviewers, grants: services.grants, store: services.host.store }, review, {
      session,
      toolCallId: call.toolCallId,
      registered,
      args,
      described,
      signal,
    });
  }
}

interface Note extends JudgedReview {
  readonly isOfGate: boolean;
  readonly digest: string;
}

function readNote(value: Json | undefined): Note | undefined {
  if (!isRecord(value)) return undefined;
  const { reviewed, isPassed, isOfGate, digest } = value;
  const found = reviewedSchema.safeParse(reviewed);
  if (!found.success || typeof digest !== 'string') return undefined;
  return { reviewed: found.data, isPassed: isPassed === true, isOfGate: isOfGate === true, digest };
}

import type { Awaitable } from '../basics/awaitable.ts';
import { toToolError } from '../basics/error.ts';
import { canonicalise, type Json, readAt, replaceAt } from '../basics/json.ts';
import { wordsOf } from '../prompt/annotation.ts';
import { type InteractionAnswer, isAnswer } from '../prompt/answer.ts';
import { type GrantKey, nameGrant } from '../prompt/grant.ts';
import type { ApprovalScope, InteractionSpec, Subject } from '../prompt/interaction.ts';
import type { OfferedRule } from '../prompt/rule.ts';
import { type CallArgs, isSameJson } from '../schema/call-args.ts';
import type { CallDescription, InteractionDemand, InteractionHooks, Outcome, Retractable } from './demand.ts';
import { type EditAnswer, type FollowEdit, readApproved } from './edited-args.ts';

/** Argument of `ctx.approve`. */
export interface ApprovalDemand<A = Record<string, unknown>>
  extends Pick<
      InteractionSpec,
      | 'prompt'
      | 'risk'
      | 'editable'
      | 'editPath'
      | 'timeoutMs'
      | 'presentation'
      | 'completedView'
      | 'onUnavailable'
      | 'audience'
      | 'visibility'
      | 'reasonRequired'
      | 'wordsOnlyWithDenial'
      | 'decide'
      | 'escalate'
      | 'view'
    >,
    Pick<InteractionHooks, 'onComment'>,
    Retractable {
  /**
   * As a function of the arguments, it is recomputed for edits: an edit that changes it is asked about again, and runs once that
   * is allowed (PLG13).
   */
  readonly title?: string | ((args: A) => string) | undefined;
  readonly subject?: Subject | ((args: A) => Subject) | undefined;
  /**
   * Exactly what a lasting consent covers. As a function of the arguments it is recomputed for edits. A call may ask once per
   * key.
   */
  readonly key: GrantKey | ((args: A) => GrantKey);
  /** `once` and `session` by default. */
  readonly scopes?: readonly ApprovalScope[];
  /** Wider consents to offer in addition: the plugin's `covers` decides what they cover (APR7). */
  readonly rules?: readonly OfferedRule[];
  /**
   * Whether the plugin's `suggestRules` may offer rules for it after some approvals, and such a rule may answer it. Only if it asks
   * for nothing but what the call's arguments say, because `covers` sees no more (LESS2).
   */
  readonly suggest?: boolean;
  /** Returns a sentence if edited arguments are invalid; the person is then asked again. */
  readonly check?: (args: A) => Awaitable<string | undefined>;
  /** Whether it only changes files that mode `acceptEdits` allows it to change (APR3); defaults to the tool's `edits`. */
  readonly isEdit?: boolean;
  /** Validity of a lasting consent in milliseconds; indefinite if absent. */
  readonly grantTtlMs?: number;
}

/**
 * The outcome. Run with `args`, the approved arguments. `by`, `at`, `annotations` and `files` are the actor, the time, the
 * remarks and the attached files of the answer, if a person answered. `reason` has all of their words, the annotations as Markdown (REV2).
 */
export type Approval<A = Record<string, unknown>> = Partial<
  Pick<InteractionAnswer, 'by' | 'at' | 'annotations' | 'files'>
> &
  (
    | {
        readonly approved: true;
        readonly scope: ApprovalScope;
        readonly args: A;
        readonly reason?: string;
        /** Id of the rule that was chosen in this answer (APR7). */
        readonly ruleId?: string;
      }
    | { readonly approved: false; readonly code: 'denied' | 'cancelled' | 'timeout'; readonly reason: string }
  );

/** Lasting consent to edited arguments. Only the tool can compute the key for those. */
export interface Consent {
  readonly key: string;
  readonly scope: Exclude<ApprovalScope, 'once'>;
  readonly answer: InteractionAnswer;
  /** The arguments that were consented to. */
  readonly args: CallArgs;
  readonly title?: string;
}

/** Key and validity of a lasting consent to a prompt. The grant is stored in the same commit as the answer. */
export interface GrantOffer {
  readonly key: string;
  readonly ttlMs?: number;
  /** Validity of a consent for the session, if different. */
  readonly sessionTtlMs?: number;
  /** Whether rules may be suggested for the prompt. */
  readonly suggest?: boolean;
}

/** Services of the surrounding call that `ctx.approve` uses. */
export interface ApprovalHandlers {
  /** Arguments of the call. */
  readonly callArgs: CallArgs;
  /** Returns the decision of a grant, a policy, the session's mode or the policy gate; undefined if a person must be asked. */
  find(
    key: GrantKey,
    slot: string,
    demand: CallDescription &
      Pick<
        ApprovalDemand,
        'audience' | 'visibility' | 'decide' | 'reasonRequired' | 'scopes' | 'rules' | 'suggest' | 'isEdit'
      >,
  ): Promise<
    Approval<never> | { readonly approved: true; readonly scope: ApprovalScope; readonly reason?: string } | undefined
  >;
  /** Asks the people of the session, and asks again about an edit that would look different from what was shown. */
  ask(demand: InteractionDemand, offer: GrantOffer, follow?: FollowEdit): Promise<unknown>;
  /** Stores a consent. Returns false if the giver's token has ended meanwhile (SEC9). */
  keep(consent: Consent): Promise<boolean>;
  /** Parses edited arguments. @throws ToolError `invalid_args`, or `denied` by a plugin */
  read(edited: Json): Promise<CallArgs>;
}

/**
 * Implements `ctx.approve`: looks for a grant, asks if there is none, and stores lasting consent (APR2). Returns the arguments of
 * the call or of the person's edit as they were shown: a handler that mutated its own copy cannot change what was approved. With
 * a fixed key, consent to edited arguments counts only once: the key would otherwise cover arguments nobody approved.
 */
export async function approve<A>(desk: ApprovalHandlers, demand: ApprovalDemand<A>): Promise<Approval<A>> {
  const {
    key: wanted,
    scopes,
    rules = [],
    suggest,
    check: _,
    grantTtlMs,
    isEdit: __,
    title,
    subject,
    ...rest
  } = demand;
  const own = (args: CallArgs) => args.value() as A;
  const keyOf = (args: CallArgs): GrantKey => (typeof wanted === 'function' ? wanted(own(args)) : wanted);
  const looksOf = (args: CallArgs) => showFor({ title, subject }, own(args));
  const { callArgs } = desk;
  const key = keyOf(callArgs);
  const grantKey = nameGrant(key);
  const slot = `approve:${grantKey}`;
  const spec = { ...rest, ...looksOf(callArgs) };
  const known = await desk.find(key, slot, { ...demand, ...spec } as Parameters<ApprovalHandlers['find']>[2]);
  if (known) return known.approved ? { ...known, args: own(callArgs) } : known;

  const judge = async (answer: InteractionAnswer): Promise<Outcome> => {
    const fault = await findFault(desk, demand, answer);
    return fault === undefined ? { complete: { ...answer } } : { reprompt: { error: fault } };
  };
  const said = await desk.ask(
    {
      ...spec,
      type: 'approval',
      key: slot,
      ...(scopes && { approvalScopes: [...scopes] }),
      ...(rules.length > 0 && { rules: [...rules] }),
      ...(spec.editable && { onResponse: judge }),
    },
    { key: grantKey, ...(grantTtlMs !== undefined && { ttlMs: grantTtlMs }), ...(suggest && { suggest }) },
    isFollowing({ title, subject })
      ? async (edited) => {
          const looks = looksOf(edited);
          return canonicalise(looks) === canonicalise(looksOf(callArgs)) ? undefined : looks;
        }
      : undefined,
  );
  if (!isAnswer(said)) return { approved: false, code: 'timeout', reason: 'Nobody allowed this in time.' };
  const answer: EditAnswer = said;
  const { action, editedArgs, approvalScope = 'once', ruleId, annotations, files, by, at } = answer;
  const reason = wordsOf(answer);
  const remarks = { ...(annotations && { annotations }), ...(files && { files }) };
  if (action !== 'approve') {
    const code = action === 'cancel' ? 'cancelled' : 'denied';
    return { approved: false, code, reason: reason ?? 'A person did not allow this.', ...remarks, by, at };
  }
  const args = editedArgs === undefined ? callArgs : await readApproved(desk.read, answer);
  const canKeep = editedArgs === undefined || typeof wanted === 'function';
  let scope = canKeep ? approvalScope : 'once';
  if (scope !== 'once' && editedArgs !== undefined) {
    const isKept = await desk.keep({
      key: nameGrant(keyOf(args)),
      scope,
      answer,
      args,
      ...(spec.title !== undefined && { title: spec.title }),
    });
    if (!isKept) scope = 'once';
  }
  const more = { ...(reason !== undefined && { reason }), ...(ruleId !== undefined && { ruleId }), ...remarks };
  return { approved: true, scope, args: own(args), ...more, by, at };
}

type Looks<A> = Pick<ApprovalDemand<A>, 'title' | 'subject'>;

function isFollowing<A>({ title, subject }: Looks<A>): boolean {
  return typeof title === 'function' || typeof subject === 'function';
}

/** Computes title and subject for these arguments. */
function showFor<A>({ title, subject }: Looks<A>, args: A): Pick<CallDescription, 'title' | 'subject'> {
  const shownTitle = typeof title === 'function' ? title(args) : title;
  const shownSubject = typeof subject === 'function' ? subject(args) : subject;
  return {
    ...(shownTitle !== undefined && { title: shownTitle }),
    ...(shownSubject !== undefined && { subject: shownSubject }),
  };
}

async function findFault<A>(
  desk: ApprovalHandlers,
  { check, editPath }: Pick<ApprovalDemand<A>, 'check' | 'editPath'>,
  { action, editedArgs }: InteractionAnswer,
): Promise<string | undefined> {
  if (action !== 'approve' || editedArgs === undefined) return undefined;
  try {
    const edited = await desk.read(editedArgs);
    const strayed = editPath && findStray(editPath, desk.callArgs.json, edited.json);
    return strayed ?? (await check?.(edited.value() as A));
  } catch (error) {
    return toToolError(error).message;
  }
}

/** Rejects an edit that changes anything but the editable member, or turns a text into another type. */
function findStray(path: readonly string[], before: Json, after: Json): string | undefined {
  const name = `"${path.join('.')}"`;
  if (!isSameJson(replaceAt(before, path, null), replaceAt(after, path, null))) return `Only ${name} can be changed.`;
  const isTextStill = typeof readAt(before, path) !== 'string' || typeof readAt(after, path) === 'string';
  return isTextStill ? undefined : `${name} must stay a text.`;
}

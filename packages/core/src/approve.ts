import { toToolError } from './error.ts';
import type { ApprovalScope } from './interaction.ts';
import { canonicalise, isRecord, type Json } from './json.ts';
import type { Approval, ApprovalDemand, GrantKey, InteractionAnswer, InteractionDemand, Outcome } from './plugin.ts';

/** A lasting consent, to be kept. */
export interface Consent {
  readonly key: GrantKey;
  readonly scope: Exclude<ApprovalScope, 'once'>;
  readonly answer: InteractionAnswer;
  /** As it was shown. */
  readonly shown: Pick<InteractionDemand, 'title' | 'subject'>;
  readonly ttlMs?: number;
}

/** What `ctx.approve` needs of the call around it. */
export interface ApprovalDesk {
  /** The call's arguments, parsed. */
  readonly args: unknown;
  /** What allows it without asking: a grant, a policy, the session's mode; or that it may not be at all. */
  find(
    key: GrantKey,
    slot: string,
  ): Promise<Approval<never> | { readonly approved: true; readonly scope: ApprovalScope } | undefined>;
  /** Asks the people of the session; `grantKey` is what a grant would have to cover. */
  ask(demand: InteractionDemand, grantKey: string): Promise<unknown>;
  keep(consent: Consent): Promise<void>;
  /** @throws ToolError `invalid_args` */
  parse(args: Json): Promise<unknown>;
}

/**
 * `ctx.approve`: looks up, asks, stores, answers (APR2). What a person edited is what runs, and what a lasting consent
 * covers: a key that does not follow the edit would allow what nobody approved, so such a consent counts once.
 */
export async function approve<A>(desk: ApprovalDesk, demand: ApprovalDemand<A>): Promise<Approval<A>> {
  const { key: wanted, scopes, check, grantTtlMs, ...spec } = demand;
  const keyOf = (args: A): GrantKey => (typeof wanted === 'function' ? wanted(args) : wanted);
  const args = desk.args as A;
  const key = keyOf(args);
  const grantKey = canonicalise(key);
  const slot = `approve:${grantKey}`;
  const known = await desk.find(key, slot);
  if (known) return known.approved ? { ...known, args } : known;

  const judge = async (answer: InteractionAnswer): Promise<Outcome> => {
    const fault = await findFault(desk, check, answer);
    return fault === undefined ? { complete: { ...answer } } : { reprompt: { error: fault } };
  };
  const said = await desk.ask(
    {
      ...spec,
      type: 'approval',
      key: slot,
      ...(scopes && { approvalScopes: [...scopes] }),
      ...(spec.editable && { onResponse: judge }),
    },
    grantKey,
  );
  if (!isAnswer(said)) return { approved: false, code: 'timeout', reason: 'Nobody allowed this in time.' };
  if (said.action !== 'approve') {
    const code = said.action === 'cancel' ? 'cancelled' : 'denied';
    return { approved: false, code, reason: said.reason ?? 'A person did not allow this.' };
  }
  const { editedArgs, approvalScope = 'once', reason } = said;
  const approved = editedArgs === undefined ? args : ((await desk.parse(editedArgs)) as A);
  const canKeep = editedArgs === undefined || typeof wanted === 'function';
  const scope = canKeep ? approvalScope : 'once';
  if (scope !== 'once') {
    const { title, subject } = spec;
    const shown = { ...(title !== undefined && { title }), ...(subject && editedArgs === undefined && { subject }) };
    await desk.keep({
      key: keyOf(approved),
      scope,
      answer: said,
      shown,
      ...(grantTtlMs !== undefined && { ttlMs: grantTtlMs }),
    });
  }
  return { approved: true, scope, args: approved, ...(reason !== undefined && { reason }) };
}

async function findFault<A>(
  desk: ApprovalDesk,
  check: ApprovalDemand<A>['check'],
  { action, editedArgs }: InteractionAnswer,
): Promise<string | undefined> {
  if (action !== 'approve' || editedArgs === undefined) return undefined;
  try {
    return await check?.((await desk.parse(editedArgs)) as A);
  } catch (error) {
    return toToolError(error).message;
  }
}

function isAnswer(said: unknown): said is InteractionAnswer {
  return isRecord(said) && typeof said.action === 'string';
}

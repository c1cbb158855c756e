import {
  type ApprovalHandlers,
  type ApprovalScope,
  type Approvals,
  type Asked,
  approvalScopes,
  askAboutEdits,
  askedIn,
  authorityOf,
  type CallArgs,
  type CallDescription,
  type CallResult,
  type Consent,
  canonicalise,
  type EditAnswer,
  type EventIndex,
  type Grant,
  type GrantKey,
  type GrantOffer,
  giverOf,
  type Instant,
  type InteractionId,
  isPersonal,
  isRecord,
  type Json,
  mayEdit,
  nameGrant,
  needsSeveral,
  riskLevel,
  ruleOfUse,
  type SessionId,
  StoreError,
  showArgs,
  ToolError,
  takesSuggestions,
} from '@parleyhq/core';
import { type AskingCall, nameFor, offerFor } from '../grant/asking-grant.ts';
import { type GrantService, type PluginWish, type RuleOffer, takesRules } from '../grant/grant-service.ts';
import { hashOf } from '../node/hash-of.ts';
import { newId } from '../node/new-id.ts';
import { type Giver, giverKey, makeGrant, readGiver } from '../session/grant-from-answer.ts';
import { judgeCall } from '../tools/policy.ts';
import { withoutStandIns } from '../tools/step-up.ts';
import type { RegisteredTool } from '../tools/tool-registry.ts';
import type { Asker } from './asker.ts';
import { describeCall } from './call-description.ts';
import type { CallReviews } from './call-reviews.ts';
import type { Toolbox } from './call-services.ts';
import type { CallWriter } from './call-writer.ts';
import { type Demanded, recordOfDemand } from './demands.ts';
import { makeEditDesk } from './edit-desk.ts';
import { answersForAll, answersToo, type GateConsent } from './gate-consent.ts';
import { demandKey, handedOnKey, type Journal, ruleKey } from './journal.ts';
import type { Waiters } from './waiters.ts';

export interface CallGrantsOptions {
  readonly parts: { readonly journal: Journal; readonly writer: CallWriter };
  readonly grants: GrantService;
  readonly index: Pick<EventIndex, 'records'>;
  /** How long after its token was last entered a log-in may perform the riskiest actions, in ms (SEC9). */
  readonly freshLoginMs: number;
  /** The asking call whose caller's consents are used, if the tool only asks. */
  readonly asking: AskingCall | undefined;
  now(): Instant;
}

/** A grant as the result of a call names it. */
type UsedGrant = Pick<CallResult, 'grantId' | 'rule'>;

const toUsed = (grant: Grant): UsedGrant => ({ grantId: grant.id, ...ruleOfUse(grant) });

/**
 * Access of one call to the grants of its plugin. Keys are canonical and prefixed with the plugin's name, so plugins cannot see
 * one another's. A call uses a grant once, however often it looks and also when it is re-entered; a `once` grant stays with the
 * call that took it (APR1).
 */
export class CallGrants implements Approvals {
  readonly #options: CallGrantsOptions;
  readonly #plugin: string;
  readonly #taken = new Map<string, ApprovalScope>();
  readonly #made = new Set<string>();
  /** Keys of what grants of this run were recorded to have answered. */
  readonly #demanded = new Set<string>();
  #isCleared = false;
  #used: UsedGrant | undefined;

  constructor(plugin: string, options: CallGrantsOptions) {
    this.#plugin = plugin;
    this.#options = options;
  }

  /** The grant that a `ctx.approve` of this call rests on, if this process saw it. */
  get used(): UsedGrant | undefined {
    return this.#used;
  }

  /** Returns the grant offer as it is stored for this call. */
  bind(offer: GrantOffer): GrantOffer {
    return offerFor(this.#options.asking, offer);
  }

  get(key: GrantKey, sessionId: SessionId = this.#sessionId): Promise<ApprovalScope | undefined> {
    const wish = { plugin: this.#plugin, key: this.#name(key), sessionId };
    return this.#use(wish, `grant:${sessionId}:${wish.key}`);
  }

  /** Uses a grant in place of an answer from the people asked. Grants consumed by `approvals.get` do not count. */
  find(key: GrantKey, asked: Asked): Promise<ApprovalScope | undefined> {
    const wish = { plugin: this.#plugin, key: this.#name(key), sessionId: this.#sessionId, asked };
    const isForAll = asked.audience === undefined && asked.risk !== 'high' && !asked.stepUp;
    return this.#use(wish, `${isForAll ? 'grant' : 'answer'}:${wish.sessionId}:${wish.key}`);
  }

  /** Whether a person's lasting grant will answer such an approval once it is asked. Uses no grant. */
  async isGiven(key: GrantKey, asked: Asked): Promise<boolean> {
    const wish = { plugin: this.#plugin, key: this.#name(key), sessionId: this.#sessionId, asked };
    const covering = await this.#options.grants.covering(wish);
    return covering.some(({ by, scope }) => by !== undefined && scope !== 'once');
  }

  async #use(wish: PluginWish, note: string): Promise<ApprovalScope | undefined> {
    const { parts, grants } = this.#options;
    parts.writer.requireKey(wish.key);
    const known = this.#taken.get(note) ?? (this.#isCleared ? undefined : recordedScope(parts.journal.recorded(note)));
    if (wish.asked) {
      if (!known && (await grants.covering(wish)).length === 0) return undefined;
      await this.#recordDemand(wish.asked);
    }
    if (known === 'once') return known;
    if (known && !this.#taken.has(note)) {
      this.#taken.set(note, known); // as before the restart, so that the handler takes the same path
      return known;
    }
    if (known) return (await grants.covering(wish)).at(-1)?.scope;
    parts.writer.requireOpen();
    const taken = await grants.take(wish, this.#noteIn(note)); // mutant: grant-note
    if (!taken) return undefined;
    this.#used = toUsed(taken);
    this.#taken.set(note, taken.scope);
    return taken.scope;
  }

  async set(key: GrantKey, scope: ApprovalScope, sessionId: SessionId = this.#sessionId): Promise<void> {
    if (!approvalScopes.includes(scope)) throw new ToolError('tool_error', `"${scope}" is not a scope of an approval.`);
    const { parts, grants, now } = this.#options;
    const name = this.#name(key);
    parts.writer.requireKey(name);
    const note = `set:${scope}:${sessionId}:${name}`;
    const isRepeated = !this.#made.has(note) && parts.journal.recorded(note) !== undefined;
    this.#made.add(note);
    if (isRepeated) return; // a re-entered call must neither undo a revocation nor give a grant twice
    parts.writer.requireOpen();
    const createdAt = new Date(now()).toISOString();
    const where = scope === 'always' ? undefined : sessionId;
    const hiding = this.#hiddenFor && { hiddenFor: this.#hiddenFor };
    const grant = {
      id: newId(),
      plugin: this.#plugin,
      key: name,
      scope,
      sessionId: where,
      createdAt,
      uses: 0,
      ...hiding,
    };
    await grants.give(grant, this.#noteIn(note));
  }

  async clearSession(sessionId: SessionId = this.#sessionId): Promise<void> {
    this.#taken.clear();
    this.#isCleared = true; // also discards what an earlier run of this call recorded
    await this.#options.grants.clear(this.#plugin, sessionId);
  }

  /**
   * Stores a lasting consent to edited arguments, once: a re-entered call must not undo a revocation. Without a description the
   * highest risk is assumed. Returns false and stores nothing if the giver may not allow their own edit at its risk, or if their
   * credential or the passkey that signed has ended, or is too old (SEC9, SIGN2, TEAM2).
   */
  async keep({ answer, args, scope, title, key }: Consent, risk: CallDescription['risk'] = 'high'): Promise<boolean> {
    const { parts, grants, freshLoginMs, now } = this.#options;
    const { interactionId, by } = answer;
    const note = `granted:${interactionId}`;
    if (parts.journal.recorded(note) !== undefined) return true;
    const giver = await this.#giverOf(interactionId);
    if (!giver || !mayEdit(giverOf({ scope, by }), { risk })) return false;
    parts.writer.requireOpen();
    const { toolName } = parts.writer.call;
    const shown = { toolName, subject: showArgs(args.json), ...(title !== undefined && { title }) };
    const given = {
      ...shown,
      interactionId,
      plugin: this.#plugin,
      key: nameFor(this.#options.asking, key),
      scope,
      by,
      ttlMs: giver.ttlMs,
      hiddenFor: this.#hiddenFor,
      passkey: giver.passkey,
    };
    const isRiskiest = risk === 'high' && scope === 'always';
    const authority = authorityOf(giver.credential, now(), isRiskiest ? freshLoginMs : 0);
    const grant = makeGrant(this.#sessionId, given, now());
    try {
      await grants.give(grant, this.#noteIn(note), { ...authority, passkey: giver.passkey });
      return true;
    } catch (error) {
      if (error instanceof StoreError && endings.includes(error.code)) return false;
      throw error;
    }
  }

  /** Returns what gave an answer; its credential is empty for the server's own token. Undefined if none was recorded. */
  async #giverOf(interactionId: InteractionId): Promise<Giver | undefined> {
    const { parts, index } = this.#options;
    const records = await index.records(this.#sessionId, parts.writer.call.toolCallId);
    return readGiver(records.find(({ key }) => key === giverKey(interactionId))?.value);
  }

  /** Uses a rule that a person consented to and that covers what will run; counts one use per slot (APR7). */
  async takeRule(slot: string, args: CallArgs, asked: Asked, offer: RuleOffer): Promise<ApprovalScope | undefined> {
    const { parts, grants } = this.#options;
    const note = ruleKey(slot);
    const known = recordedScope(parts.journal.recorded(note));
    if (known) return known; // as before the restart, so that the handler takes the same path
    parts.writer.requireOpen();
    const { session, call } = parts.writer;
    const ruled = { args, caller: call.by?.principal, offer };
    const wanted = { toolName: call.toolName, key: undefined, asked, ruled };
    const covering = await grants.find(session.id, session.head.turn?.agent, wanted);
    if (!covering) return undefined;
    await this.#recordDemand(asked);
    const { key } = covering;
    const wish = { plugin: this.#plugin, key, sessionId: this.#sessionId, asked };
    const taken = await grants.take(wish, this.#noteIn(note));
    if (taken) this.#used = toUsed(taken);
    return taken?.scope; // undefined if it was revoked meanwhile
  }

  #name(key: GrantKey): string {
    return nameFor(this.#options.asking, nameGrant(key));
  }

  /** Records, once, what a grant is about to answer, so that another run of the call demands no less (DUR4). */
  async #recordDemand(asked: Asked): Promise<void> {
    const { parts } = this.#options;
    const demanded = recordOfDemand(asked);
    const key = demandKey(hashOf(canonicalise(demanded)));
    const isEmpty = Object.keys(demanded).length === 0;
    if (isEmpty || this.#demanded.has(key) || parts.journal.recorded(key) !== undefined) return;
    await parts.writer.record(key, demanded);
    this.#demanded.add(key);
  }

  get #hiddenFor(): readonly Asked[] | undefined {
    const { session, call } = this.#options.parts.writer;
    return session.visibility.watchersOf(call.toolCallId);
  }

  get #sessionId(): SessionId {
    return this.#options.parts.writer.session.id;
  }

  #noteIn(key: string) {
    return { sessionId: this.#sessionId, toolCallId: this.#options.parts.writer.call.toolCallId, key };
  }
}

/** Codes of what a consent rested on, and that has ended since. */
const endings: readonly string[] = ['unauthorised', 'login_again', 'passkey_gone'];

/** `true` stood for `once` in records of earlier releases. */
function recordedScope(value: unknown): ApprovalScope | undefined {
  return value === true ? 'once' : (value as ApprovalScope | undefined);
}

/** Whether a record of what the gate's consent answered is of this risk, or a higher one. Older records hold `true`. */
function coversRisk(record: Json | undefined, risk: CallDescription['risk']): boolean {
  return record !== undefined && riskLevel(risk) <= riskLevel(isRecord(record) ? (record as Demanded).risk : undefined); // mutant: handed-on-risk
}

export interface ApprovalDeskOptions {
  readonly parts: { readonly journal: Journal; readonly writer: CallWriter; readonly waiters: Waiters };
  readonly asker: Asker;
  readonly grants: CallGrants;
  readonly reviews: CallReviews;
  readonly toolbox: Pick<Toolbox, 'policies' | 'gates'>;
  /** Consent of the gate to this call, if it was asked. */
  readonly consent: GateConsent | undefined;
  /** Time allowed to the tool's `describe`, in ms. */
  readonly limitMs: number;
  now(): Instant;
}

/** Makes the functions that `ctx.approve` uses (APR2). */
export function makeApprovalDesk(
  { parts, asker, grants, reviews, toolbox, consent, limitMs, now }: ApprovalDeskOptions,
  registered: RegisteredTool,
  callArgs: CallArgs,
): Omit<ApprovalHandlers, 'callArgs'> {
  const { session } = parts.writer;
  const { tool, read } = registered;
  let unused = consent;
  /**
   * Audits, once and before anything runs, an approval passed by policy or mode, unless the call's own entry already says so
   * (SEC7).
   */
  const auditPass = async (slot: string, outcome: 'policy' | 'mode') => {
    const { toolCallId, toolName, authorised } = parts.writer.call;
    const note = `passed:${slot}`;
    if (authorised?.by === outcome) return;
    reviews.passBy(outcome);
    if (parts.journal.recorded(note) !== undefined) return;
    const at = new Date(now()).toISOString();
    await parts.writer.record(note, outcome, [{ event: 'approval_passed', at, toolCallId, toolName, outcome }]);
  };
  const covered = new Set<string>();
  return {
    async find(key, slot, demand) {
      if (parts.journal.find(slot)) return undefined; // asked before a restart: that answer counts, if it is the same question
      const gated = await toolbox.gates.judge(session, parts.writer.call.toolCallId, registered, callArgs.json);
      const judged = judgeCall(
        { ...tool, edits: demand.isEdit ?? tool.edits ?? false },
        toolbox.policies,
        session.row.permissionMode,
        gated,
      ); // the current mode: it may change while calls run
      if (judged.kind === 'deny') return { approved: false, code: 'denied', reason: judged.reason };
      const narrowed = asker.narrow(demand);
      const { risk } = narrowed;
      const { stepUp } = asker;
      const permission = stepUp
        ? await withoutStandIns(judged, stepUp, { toolName: tool.name, findRisk: async () => risk })
        : judged;
      const asked = { ...askedIn(session.head, narrowed, parts.writer.call.toolCallId), ...asker.markOf(risk) };
      const handedOn = handedOnKey(slot);
      const isModes = permission.kind === 'allow' && permission.by === 'mode';
      const isVoted = needsSeveral(narrowed); // no grant, policy or mode replaces a vote (TEAM3)
      // whoever set the mode may not be among the people asked
      const isPassed = permission.kind === 'allow' && !isVoted && !(isModes && isPersonal(asked));
      const isShown = session.visibility.watchersOf(parts.writer.call.toolCallId) === undefined;
      const { scopes = ['once', 'session'] } = demand;
      const isLasting = scopes.some((each) => each !== 'once'); // without lasting scopes it asks each time
      if (narrowed.visibility && isShown && !isPassed) {
        if (isLasting && !isVoted && (await grants.isGiven(key, asked))) covered.add(slot);
        return undefined; // only a stored prompt hides its call; a grant answers it as soon as it is asked (TEAM1, APR4)
      }
      const isHandedOn = coversRisk(parts.journal.recorded(handedOn), risk);
      if (
        isHandedOn ||
        (unused && answersToo(unused, narrowed, asked, callArgs.json) && answersForAll(unused, narrowed))
      ) {
        const reason = unused?.reason;
        unused = undefined; // one consent answers one question: a second one asks for something else
        if (!isHandedOn) await parts.writer.record(handedOn, recordOfDemand({ ...asked, decide: narrowed.decide }));
        return { approved: true, scope: 'once', ...(reason !== undefined && { reason }) };
      }
      if (isPassed) {
        await auditPass(slot, permission.by);
        return { approved: true, scope: 'once' };
      }
      if (isVoted) return undefined;
      const scope = isLasting ? await grants.find(key, asked) : undefined;
      if (scope) return { approved: true, scope };
      const suggests = demand.suggest && registered.suggestRules && takesSuggestions({ ...narrowed, ...asked });
      const offer = { rules: demand.rules, ...(suggests && { suggests }) };
      const ruled = takesRules(offer) ? await grants.takeRule(slot, callArgs, asked, offer) : undefined;
      if (ruled) return { approved: true, scope: ruled };
      if (permission.kind !== 'review') return undefined;
      const isReviewed = await reviews.pass(slot, permission.review, narrowed, callArgs.json);
      return isReviewed ? { approved: true, scope: 'once' } : undefined;
    },
    async ask({ subject = showArgs(callArgs.json), key = '', ...demand }, offer, follow) {
      const asked = { ...demand, key, subject, ...(covered.has(key) && { onUnavailable: 'wait' as const }) };
      const judged = askAboutEdits(asked, makeEditDesk(key, { parts, registered, asker, limitMs, follow }));
      const said = await asker.requestInteraction(judged, {
        offer: grants.bind(offer),
        door: 'ctx.approve',
        reviewed: reviews.of(key),
      });
      const { readArgs } = isRecord(said) ? (said as Partial<EditAnswer>) : {};
      if (readArgs !== undefined) parts.waiters.noteEdit(key, readArgs);
      return said;
    },
    async keep(consent) {
      const { risk } = await describeCall(registered, consent.args, limitMs);
      return grants.keep(consent, risk);
    },
    async read(edited) {
      const args = await read(edited);
      await toolbox.gates.requireLeave(session, parts.writer.call.toolCallId, registered, args.json);
      return args;
    },
  };
}

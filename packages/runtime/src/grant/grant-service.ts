import {
  type Actor,
  type Asked,
  type CallArgs,
  type Credential,
  type GivenBy,
  type Grant,
  type GrantFilter,
  type GrantNote,
  type GrantStore,
  type GrantWish,
  giverOf,
  mayAnswer,
  maySee,
  nameGrant,
  nameReviewerOff,
  type OfferedRule,
  type Principal,
  RefusalError,
  reviewerOffPrefix,
  type SessionId,
  StoreError,
  ToolError,
} from '@parleyhq/core';
import type { Logger } from 'pino';
import { newId } from '../node/new-id.ts';
import type { Node } from '../node/node.ts';
import type { ToolRegistry } from '../tools/tool-registry.ts';
import { filterCovering, keyOfRule } from './rule-cover.ts';

/** A grant that a person gave. */
export type GivenGrant = Grant & Required<Pick<Grant, 'by'>>;

/** Search for a grant: the key of a tool's prompt or gate, and the people it asks. */
export interface Wanted {
  readonly toolName: string;
  readonly key: string | undefined;
  /** The people asked; anybody who may answer, if absent. */
  readonly asked?: Asked | undefined;
  /** What rules are judged by; absent if none may answer. */
  readonly ruled?: Ruled | undefined;
}

export interface Ruled {
  /** The call's arguments, as they will run. */
  readonly args: Pick<CallArgs, 'written' | 'json'>;
  /** The outside program that made the call (ASK3). */
  readonly caller?: string | undefined;
  readonly offer: RuleOffer;
}

/** The rules that an approval offers, and whether it takes suggested ones: those that were allowed apart from it (LESS2). */
export interface RuleOffer {
  readonly rules?: readonly OfferedRule[] | undefined;
  readonly suggests?: boolean | undefined;
}

/** Whether rules may answer an approval. */
export function takesRules({ rules = [], suggests }: RuleOffer): boolean {
  return suggests === true || rules.some(({ keptByCaller }) => !keptByCaller);
}

/** Search for a grant of a plugin's own key, and the people an approval asks. */
export interface PluginWish extends GrantWish {
  readonly asked?: Asked | undefined;
}

/** Receives changes of grants that are in no session's commit; `undefined` stands for all sessions. */
export interface GrantChanges {
  changed(sessionId: SessionId | undefined): void;
  /** A grant was given, which may cover open prompts (APR4). */
  given(sessionId: SessionId | undefined): void;
}

export interface GrantServiceOptions {
  readonly store: GrantStore;
  readonly tools: Pick<ToolRegistry, 'get'>;
  readonly node: Pick<Node, 'now'>;
  readonly log: Logger;
  readonly news: GrantChanges;
}

/** Looks up, gives, uses and revokes the stored approvals, and publishes the changes. */
export class GrantService {
  readonly #options: GrantServiceOptions;

  constructor(options: GrantServiceOptions) {
    this.#options = options;
  }

  /**
   * Finds a lasting grant for a tool's prompt, given by somebody who could have been asked: an exact one first, then one by a
   * rule.
   */
  async find(sessionId: SessionId, agent: string | undefined, wanted: Wanted): Promise<GivenGrant | undefined> {
    const { toolName, key, asked = {}, ruled } = wanted;
    const plugin = this.pluginOf(toolName, agent);
    if (plugin === undefined) return undefined;
    const exact = key === undefined ? [] : await this.covering({ plugin, key, sessionId, asked });
    const lasting = exact.find(isLasting);
    if (lasting || !ruled || !takesRules(ruled.offer)) return lasting;
    const ruling = await this.#ruling(sessionId, agent, toolName, ruled);
    return ruling.filter((grant) => standsFor(asked, grant)).find(isLasting);
  }

  /** Returns the name of the plugin that a tool's grants belong to. */
  pluginOf(toolName: string, agent: string | undefined): string | undefined {
    return this.#options.tools.get(toolName, agent)?.plugin.name;
  }

  /** Returns the grants that cover a key and, if the wish names the people asked, can replace an answer from them. */
  async covering({ asked, ...wish }: PluginWish): Promise<readonly Grant[]> {
    const { store, node } = this.#options;
    const found = await store.list(node.now(), wish);
    return asked ? found.filter((grant) => standsFor(asked, grant)) : found;
  }

  /**
   * Returns the rule grants that cover a call of this tool (APR7). An approval that takes no suggested rules is answered only by
   * those that it offers itself.
   */
  async #ruling(
    sessionId: SessionId,
    agent: string | undefined,
    toolName: string,
    { offer, ...judged }: Ruled,
  ): Promise<readonly Grant[]> {
    const { store, node, tools, log } = this.#options;
    const registered = tools.get(toolName, agent);
    if (!registered?.covers) return [];
    const grants = await store.list(node.now(), { plugin: registered.plugin.name, sessionId, isRule: true });
    const isAny = offer.suggests || !registered.suggestRules;
    const offered = offer.rules?.map(({ key }) => keyOfRule(registered, key, judged.caller));
    const meant = isAny ? grants : grants.filter(({ key }) => offered?.includes(key));
    return filterCovering(registered, meant, judged, log);
  }

  /**
   * Uses a grant; a `once` grant is deleted by that. `note` keeps a re-entered call from using it twice.
   * @throws ToolError `call_closed` if the call is over, perhaps in another process
   */
  async take(wish: PluginWish, note: GrantNote): Promise<Grant | undefined> {
    const { store, node, news } = this.#options;
    const { asked: _, ...choice } = wish;
    const among = wish.asked && { among: (await this.covering(wish)).map(({ id }) => id) };
    const grant = await store.take({ ...choice, ...among }, node.now(), note).catch(endWithCall);
    if (grant) news.changed(grant.sessionId);
    return grant;
  }

  /** Stores a grant. @throws StoreError if what its giver's consent rested on has ended (SEC9), or ToolError as `take` */
  async give(grant: Grant, note: GrantNote, given?: GivenBy): Promise<void> {
    const { store, news } = this.#options;
    await store.put(grant, note, given).catch(endWithCall);
    news.changed(grant.sessionId);
    if (grant.by) news.given(grant.sessionId); // a grant that a plugin gave itself settles nothing (APR6)
  }

  /** Revokes all of a plugin's grants in a session. */
  async clear(plugin: string, sessionId: SessionId): Promise<void> {
    const { store, news } = this.#options;
    await store.revoke({ plugin, sessionId });
    news.changed(sessionId);
  }

  /**
   * Lists the grants a principal may see, oldest first; `limit` keeps the newest. Grants for all sessions are shown only to those
   * who see all sessions.
   */
  async list(principal: Principal, filter: GrantFilter, limit?: number): Promise<readonly Grant[]> {
    const { store, node } = this.#options;
    const newest = limit === undefined || principal.sessions ? {} : { limit };
    const seen = (await store.list(node.now(), { ...filter, ...newest })).filter(
      ({ sessionId }) => principal.sessions === undefined || (sessionId !== undefined && maySee(principal, sessionId)),
    );
    return (limit === undefined ? seen : seen.slice(-limit)).map((grant) => show(principal, grant));
  }

  /** Whether somebody has taken reviewers off a tool, in this session or everywhere (LESS3). */
  async isReviewerOff(toolName: string, sessionId: SessionId): Promise<boolean> {
    const { store, node } = this.#options;
    return (await store.list(node.now(), { ...nameReviewerOff(toolName), sessionId })).length > 0;
  }

  /** Takes reviewers off a tool, in one session or in all, unless they are. @throws StoreError `unauthorised` */
  async removeReviewer(
    { toolName, sessionId }: { readonly toolName: string; readonly sessionId: SessionId | undefined },
    by: Actor,
    credential: Credential,
  ): Promise<void> {
    const { store, node, news } = this.#options;
    const now = node.now();
    const name = nameReviewerOff(toolName);
    const rows = await store.list(now, { ...name, ...(sessionId !== undefined && { sessionId }) });
    if (rows.some((row) => row.sessionId === sessionId)) return;
    const row: Grant = {
      ...name,
      id: `${reviewerOffPrefix}${newId()}`,
      scope: sessionId === undefined ? 'always' : 'session',
      sessionId,
      createdAt: new Date(now).toISOString(),
      uses: 0,
      toolName,
      takenOffBy: by, // not `by`: it must outlast the token of whoever pressed
    };
    await store.put(row, undefined, { credential, now });
    news.changed(sessionId);
  }

  /** @throws RefusalError `not_found`, also for a grant that the principal may not see */
  async revoke(principal: Principal, id: string, credential: Credential): Promise<void> {
    const { store, news, node } = this.#options;
    const isSeen =
      principal.sessions === undefined || (await this.list(principal, {})).some((grant) => grant.id === id);
    const { id: who, name, role } = principal;
    const by = { principal: who, role, ...(name !== undefined && { name }) };
    const authority = { credential, now: node.now() };
    if (!isSeen || (await store.revoke({ id, by, authority })) === 0) throw new RefusalError('not_found');
    news.changed(undefined);
  }
}

/**
 * Returns a grant as shown to a principal. For outsiders a grant of a hidden call shows neither what it covers nor who gave it,
 * but an operator may still revoke it (TEAM1).
 */
function show(principal: Principal, { hiddenFor, ...grant }: Grant): Grant {
  if (!hiddenFor || hiddenFor.some((asked) => mayAnswer(principal, asked))) return grant;
  const { id, plugin, scope, sessionId, createdAt, uses, expiresAt } = grant;
  const key = nameGrant('hidden');
  return { id, plugin, key, scope, sessionId, createdAt, uses, ...(expiresAt !== undefined && { expiresAt }) };
}

/**
 * Whether a grant may replace an answer: its giver must be one of the people asked (SEC4, TEAM2). A grant that a plugin gave
 * itself counts only if no audience is named. If a passkey is demanded, one must have signed the answer that gave it (SIGN2).
 */
function standsFor(asked: Asked, grant: Grant): boolean {
  if (asked.stepUp && !grant.isSigned) return false; // mutant: signed-grant
  return isGiven(grant) ? mayAnswer(giverOf(grant), asked) : asked.audience === undefined;
}

function isLasting(grant: Grant): grant is GivenGrant {
  return grant.scope !== 'once' && isGiven(grant);
}

function isGiven(grant: Grant): grant is GivenGrant {
  return grant.by !== undefined;
}

function endWithCall(error: unknown): never {
  if (!(error instanceof StoreError) || error.code !== 'conflict') throw error;
  throw new ToolError('call_closed', 'The call is over.', { cause: error });
}

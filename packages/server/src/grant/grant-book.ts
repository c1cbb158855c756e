import {
  type Audience,
  type GivenAnswer,
  type Grant,
  type GrantFilter,
  type GrantNote,
  type GrantStore,
  type GrantWish,
  type Head,
  mayAnswer,
  maySee,
  type Principal,
  RefusalError,
  type SessionId,
} from '@parleyhq/core';
import type { Node } from '../node/node.ts';
import type { ToolRegistry } from '../tools/tool-registry.ts';
import { grantsOf } from './grant-from-answer.ts';

/** A grant that a person gave. */
export type GivenGrant = Grant & Required<Pick<Grant, 'by'>>;

/** The key of a tool's prompt or gate, and those whom it asks. */
export interface Wanted {
  readonly toolName: string;
  readonly key: string | undefined;
  readonly audience?: Audience | undefined;
}

/** Who hears of changes that no session's commit brings; `undefined` stands for all sessions. */
export interface GrantNews {
  changed(sessionId: SessionId | undefined): void;
  /** One was given: it may cover prompts that are open (APR4). */
  given(sessionId: SessionId | undefined): void;
}

export interface GrantBookOptions {
  readonly store: GrantStore;
  readonly tools: Pick<ToolRegistry, 'get'>;
  readonly node: Pick<Node, 'now'>;
  readonly news: GrantNews;
}

/** The stored approvals: looked up, given, used and revoked here, and told to those concerned. */
export class GrantBook {
  readonly #options: GrantBookOptions;

  constructor(options: GrantBookOptions) {
    this.#options = options;
  }

  /** A person's lasting grant for a tool's prompt, of someone who could have been asked. */
  async find(sessionId: SessionId, agent: string | undefined, wanted: Wanted): Promise<GivenGrant | undefined> {
    const plugin = this.pluginOf(wanted.toolName, agent);
    if (plugin === undefined || wanted.key === undefined) return undefined;
    const covering = await this.covering({ plugin, key: wanted.key, sessionId });
    return covering.find((grant): grant is GivenGrant => isAnswerOf(wanted.audience, grant));
  }

  /** The plugin under whose name a tool's grants stand. */
  pluginOf(toolName: string, agent: string | undefined): string | undefined {
    return this.#options.tools.get(toolName, agent)?.plugin.name;
  }

  /** What a person's answer to an open prompt grants beyond this once. */
  ofAnswer({ id, head }: { readonly id: SessionId; readonly head: Head }, given: GivenAnswer): readonly Grant[] {
    const plugin = this.pluginOf(given.request.toolName, head.turn?.agent);
    return grantsOf({ id, plugin, now: this.#options.node.now() }, given);
  }

  covering(wish: GrantWish): Promise<readonly Grant[]> {
    const { store, node } = this.#options;
    return store.list(node.now(), wish);
  }

  /** Uses a grant; a `once` grant is gone with it. `note` keeps a call that is entered again from using it twice. */
  async take(wish: GrantWish, note: GrantNote): Promise<Grant | undefined> {
    const { store, node, news } = this.#options;
    const grant = await store.take(wish, node.now(), note);
    if (grant) news.changed(grant.sessionId);
    return grant;
  }

  async give(grant: Grant, note: GrantNote): Promise<void> {
    const { store, news } = this.#options;
    await store.put(grant, note);
    news.changed(grant.sessionId);
    if (grant.by) news.given(grant.sessionId); // what a plugin grants by itself settles nothing (APR6)
  }

  /** Takes all of a plugin's grants of a session back. */
  async clear(plugin: string, sessionId: SessionId): Promise<void> {
    const { store, news } = this.#options;
    await store.revoke({ plugin, sessionId });
    news.changed(sessionId);
  }

  /** Those that a principal may see, oldest first; `limit` keeps the newest. A grant for all sessions is seen by those who see all. */
  async list(principal: Principal, filter: GrantFilter, limit?: number): Promise<readonly Grant[]> {
    const { store, node } = this.#options;
    const newest = limit === undefined ? {} : { limit };
    if (principal.sessions === undefined) return store.list(node.now(), { ...filter, ...newest });
    const seen = (await store.list(node.now(), filter)).filter(
      ({ sessionId }) => sessionId !== undefined && maySee(principal, sessionId),
    );
    return limit === undefined ? seen : seen.slice(-limit);
  }

  /** @throws RefusalError `not_found`, also for a grant that the principal may not see */
  async revoke(principal: Principal, id: string): Promise<void> {
    const { store, news } = this.#options;
    const isSeen =
      principal.sessions === undefined || (await this.list(principal, {})).some((grant) => grant.id === id);
    const { id: who, name, role } = principal;
    const by = { principal: who, role, ...(name !== undefined && { name }) };
    if (!isSeen || (await store.revoke({ id, by })) === 0) throw new RefusalError('not_found');
    news.changed(undefined);
  }
}

/** Whether the person who gave a lasting grant could have answered this (SEC4). */
function isAnswerOf(audience: Audience | undefined, grant: Grant): grant is GivenGrant {
  return grant.scope !== 'once' && isGiven(grant) && mayAnswer(giverOf(grant), audience);
}

function isGiven(grant: Grant): grant is GivenGrant {
  return grant.by !== undefined;
}

/** All we know of the giver: `always` takes an operator. */
export function giverOf({ scope, by }: GivenGrant): Principal {
  return { id: by.principal, name: by.name, role: scope === 'always' ? 'operator' : 'responder' };
}

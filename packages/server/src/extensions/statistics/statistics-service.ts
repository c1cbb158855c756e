import {
  type CaseChoice,
  CaseCounter,
  type CaseFilter,
  type CaseGroup,
  mayAnswer,
  maySee,
  type Principal,
  RefusalError,
  type RuleOfGrant,
  type SessionStore,
  type Statistics,
  type StatisticsGrouping,
  type StatisticsStore,
  type StoredCase,
  watchersOf,
} from '@parleyhq/core';
import { type GrantService, OneByOne } from '@parleyhq/runtime';

/** Restricts which cases count, and says what they are grouped by. */
export interface StatisticsQuery extends CaseFilter, CaseChoice {
  readonly by: StatisticsGrouping;
}

/** Statistics with a limited number of groups. */
export interface StatisticsReply extends Statistics {
  /** Number of groups that are left out. */
  readonly left: number;
}

interface StatisticsOptions {
  readonly store: StatisticsStore;
  readonly sessions: Pick<SessionStore, 'get' | 'list'>;
  readonly grants: Pick<GrantService, 'list'>;
}

/** Maximum number of groups in a reply. */
const mostGroups = 400;

/** Counts what was asked and what passed, for each principal only in what it may see (LESS1). */
export class StatisticsService {
  readonly #options: StatisticsOptions;
  readonly #turns = new OneByOne();

  constructor(options: StatisticsOptions) {
    this.#options = options;
  }

  /**
   * Reads one statistic after the other, because each takes processor time from everything else.
   * @param gone - aborted if nobody waits for it any more
   * @throws RefusalError `not_found` for a session that the principal may not see, `retry_later` once it is aborted
   */
  read(principal: Principal, query: StatisticsQuery, gone: AbortSignal): Promise<StatisticsReply> {
    return this.#turns.run('', () => this.#read(principal, query, gone));
  }

  async #read(principal: Principal, query: StatisticsQuery, gone: AbortSignal): Promise<StatisticsReply> {
    const { by } = query;
    const ruleOf = by === 'rule' ? await this.#findRules(principal) : undefined;
    const counter = new CaseCounter(by, query, ruleOf);
    for (const sessionId of await this.#findSessions(principal, query))
      for await (const chunk of this.#options.store.read({ ...query, sessionId }, { isSummed: true })) {
        if (gone.aborted) throw new RefusalError('retry_later');
        for (const each of chunk) if (mayCount(principal, each)) counter.add(each.sessionId, each.counted, each.sum);
      }
    const { groups, ...statistics } = counter.finish();
    const shown = by === 'day' ? groups.slice(-mostGroups) : groups.slice(0, mostGroups);
    const left = groups.length - shown.length;
    return { ...statistics, groups: by === 'session' ? await this.#addTitles(shown) : shown, left };
  }

  /** Returns the sessions to read; undefined stands for all. */
  async #findSessions(
    principal: Principal,
    { sessionId }: CaseFilter,
  ): Promise<readonly (CaseFilter['sessionId'] | undefined)[]> {
    if (sessionId === undefined) return principal.sessions ?? [undefined];
    const isSeen = maySee(principal, sessionId) && (await this.#options.sessions.get(sessionId));
    if (!isSeen) throw new RefusalError('not_found');
    return [sessionId];
  }

  /** Returns the rules of the grants that the principal may see; the log of a use names only rules of its own session. */
  async #findRules(principal: Principal): Promise<RuleOfGrant> {
    const grants = await this.#options.grants.list(principal, {});
    const labels = new Map(grants.map(({ id, rule }) => [id, rule?.label]));
    return (grantId) => labels.get(grantId);
  }

  async #addTitles(groups: readonly CaseGroup[]): Promise<readonly CaseGroup[]> {
    const ids = groups.flatMap(({ key }) => (key === undefined ? [] : [key]));
    const found = ids.length === 0 ? [] : await this.#options.sessions.list({ ids });
    const titles = new Map(found.map(({ session }) => [session.id, session.title]));
    return groups.map((group) => {
      const name = titles.get(group.key ?? '');
      return { ...group, ...(name !== undefined && { name }) };
    });
  }
}

/** Whether a principal that may see the session may also see the call (TEAM1). */
function mayCount(principal: Principal, { hidden }: StoredCase): boolean {
  return !hidden || watchersOf(hidden).some((asked) => mayAnswer(principal, asked));
}

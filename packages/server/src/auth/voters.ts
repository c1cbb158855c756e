import { livesOn, ownerId, type TokenStore, type Voter } from '@parleyhq/core';

/** Finds the principals whose votes no longer count (TEAM3). */
export class Voters {
  readonly #tokens: Pick<TokenStore, 'list'>;

  constructor(tokens: Pick<TokenStore, 'list'>) {
    this.#tokens = tokens;
  }

  /**
   * Returns the principals whose tokens were revoked since they voted, even if there is one with the same id again. The votes of
   * an expired token still count: it was valid when they were cast.
   */
  async findRevoked(votes: readonly Voter[]): Promise<readonly string[]> {
    const others = votes.filter(({ id }) => id !== ownerId);
    if (others.length === 0) return [];
    const known = new Map((await this.#tokens.list()).map(({ id, createdAt }) => [id, createdAt]));
    return others.flatMap(({ id, votedAt }) => (livesOn(votedAt, known.get(id)) ? [] : [id]));
  }
}

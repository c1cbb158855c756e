import { ownerId, type TokenStore } from '@parleyhq/core';

/** Finds the principals whose votes no longer count (TEAM3). */
export class Voters {
  readonly #tokens: Pick<TokenStore, 'list'>;

  constructor(tokens: Pick<TokenStore, 'list'>) {
    this.#tokens = tokens;
  }

  /**
   * Returns the principals whose tokens were revoked. The votes of an expired token still count: it was valid when they were
   * cast.
   */
  async findRevoked(principals: readonly string[]): Promise<readonly string[]> {
    const others = principals.filter((id) => id !== ownerId);
    if (others.length === 0) return [];
    const known = new Set((await this.#tokens.list()).map(({ id }) => id));
    return others.filter((id) => !known.has(id));
  }
}

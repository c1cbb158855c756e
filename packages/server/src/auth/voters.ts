import { ownerId, type TokenStore } from '@parleyhq/core';

/** Whose votes still count (TEAM3). */
export class Voters {
  readonly #tokens: Pick<TokenStore, 'list'>;

  constructor(tokens: Pick<TokenStore, 'list'>) {
    this.#tokens = tokens;
  }

  /** Those of these principals whose tokens were revoked. One that expired has voted while it could. */
  async findRevoked(principals: readonly string[]): Promise<readonly string[]> {
    const others = principals.filter((id) => id !== ownerId);
    if (others.length === 0) return [];
    const known = new Set((await this.#tokens.list()).map(({ id }) => id));
    return others.filter((id) => !known.has(id));
  }
}

import { type AccessToken, type Credential, ownerId, type Role } from '@parleyhq/core';

/** The holder of a token, or of the server's own. */
export interface TokenHolder {
  readonly principal: string;
  readonly credential: Credential;
  readonly role: Role;
  /** Provider at which this person logs in. */
  readonly issuer?: string | undefined;
}

/** Finds a holder by the id or name of a token, or `owner`. @throws Error if there is no such token, or its holder is a program */
export function findTokenHolder(word: string, tokens: readonly AccessToken[]): TokenHolder {
  if (word === ownerId) return { principal: ownerId, credential: {}, role: 'operator' };
  const token = tokens.find(({ id }) => id === word) ?? tokens.find(({ name }) => name === word);
  if (!token) throw new Error(`There is no token "${word}": parley token list shows them.`);
  const { id, role, issuer } = token;
  return { principal: id, credential: { tokenId: id }, role, issuer };
}

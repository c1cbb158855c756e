import { type AccessToken, ownerOf } from '@parleyhq/core';

/**
 * Finds the person to whom a new token belongs (TEAM2): the one whom `owner` names, by the id or name of another token or by a
 * name of their own; without `owner`, the one whom other tokens name by this token's name.
 * @param others - all other tokens
 * @returns undefined if it is a person of its own
 */
export function findOwner(
  { name, owner }: Pick<AccessToken, 'name' | 'owner'>,
  others: readonly AccessToken[],
): string | undefined {
  const word = owner ?? others.find((other) => other.owner === name)?.owner;
  if (word === undefined) return undefined;
  const named = others.find((other) => other.id === word || other.name === word);
  return named ? ownerOf(named) : word;
}

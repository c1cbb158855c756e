import type { Login } from '@parleyhq/core';

export interface LoginRow {
  readonly hash: string;
  readonly id: string;
  readonly created_at: string | null;
  readonly expires_at: string;
  readonly token_id: string | null;
  readonly details: string;
}

export function toLogin({ id, created_at, expires_at, token_id, details }: LoginRow): Login {
  return {
    id,
    ...(created_at !== null && { createdAt: created_at }),
    expiresAt: expires_at,
    ...(token_id !== null && { tokenId: token_id }),
    ...JSON.parse(details),
  };
}

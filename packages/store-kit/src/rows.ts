import type { AccessToken, ApprovalScope, Grant, Head, Login, Role, Session, SessionRecord } from '@parleyhq/core';

/** A session's row in the table. Flags are numbers in SQLite. */
export interface SessionRow {
  readonly id: string;
  readonly title: string;
  readonly agent: string;
  readonly permission_mode: string;
  readonly status: Session['status'];
  readonly open_count: number;
  readonly created_at: string;
  readonly updated_at: string;
  readonly seq: number;
  readonly head: string | null;
  readonly pinned: number | boolean;
  readonly archived: number | boolean;
  readonly channel_principal: string | null;
  readonly channel: string | null;
}

export function toRecord(row: SessionRow): SessionRecord {
  const { id, title, agent, status, seq, channel_principal: principal, channel: name } = row;
  const session: Session = {
    id,
    title,
    agent,
    permissionMode: row.permission_mode,
    status,
    openCount: row.open_count,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
    seq,
    ...(row.pinned && { pinned: true }),
    ...(row.archived && { archived: true }),
    ...(principal !== null && name !== null && { channel: { principal, name } }),
  };
  return { session, head: row.head === null ? undefined : (JSON.parse(row.head) as Head) };
}

/** A stored approval's row in the table. */
export interface GrantRow {
  readonly id: string;
  readonly plugin: string;
  readonly key: string;
  readonly scope: ApprovalScope;
  readonly session_id: string | null;
  readonly created_at: string;
  readonly uses: number;
  readonly expires_at: string | null;
  readonly details: string;
}

export function toGrant({ id, plugin, key, scope, uses, ...row }: GrantRow): Grant {
  return {
    ...{ id, plugin, key, scope, uses },
    sessionId: row.session_id ?? undefined,
    createdAt: row.created_at,
    ...(row.expires_at !== null && { expiresAt: row.expires_at }),
    ...JSON.parse(row.details),
  };
}

/** A token's row in the table, which holds only the token's hash. */
export interface TokenRow {
  readonly id: string;
  readonly role: Role;
  readonly created_at: string;
  readonly expires_at: string | null;
  readonly details: string;
}

export function toToken({ id, role, created_at, expires_at, details }: TokenRow): AccessToken {
  return {
    id,
    role,
    createdAt: created_at,
    ...(expires_at !== null && { expiresAt: expires_at }),
    ...JSON.parse(details),
  };
}

/** A log-in's row in the table. */
export interface LoginRow {
  readonly hash: string;
  readonly id: string;
  readonly created_at: string | null;
  readonly expires_at: string;
  readonly token_id: string | null;
  readonly details: string;
}

export function toLogin({ id, created_at, expires_at, token_id, details }: Omit<LoginRow, 'hash'>): Login {
  return {
    id,
    ...(created_at !== null && { createdAt: created_at }),
    expiresAt: expires_at,
    ...(token_id !== null && { tokenId: token_id }),
    ...JSON.parse(details),
  };
}

import type { Authority, GivenBy, Grant, Passkey, PasskeyChange, PasskeyStore, PasskeyUse } from '@parleyhq/core';
import {
  detailsOfPasskey,
  grantRevoked,
  type PasskeyRow,
  passkeyAdded,
  passkeyRemoved,
  refuseCredential,
  requirePasskey,
  requirePasskeyRoom,
  requireSigned,
  requireSigner,
  toPasskey,
} from '@parleyhq/store-kit';
import type { CommitQueue } from './commit-queue.ts';
import { requireAuthority } from './credentials.ts';
import { type Condition, lookUp, type Query, type Sql } from './database.ts';
import type { WriteTransaction } from './write-transaction.ts';

/**
 * Requires a passkey, within the transaction that depends on it. Such transactions hold the lock of the server's audit chain, so
 * removing the passkey waits for them.
 * @throws StoreError `passkey_gone`
 */
export async function requireUse(sql: Query, use: PasskeyUse | undefined): Promise<void> {
  if (!use) return;
  const [row] = await sql<PasskeyRow[]>`select * from passkeys where credential_id = ${use.credentialId}`;
  requirePasskey(use, row);
}

/** Requires the passkey that signed a grant, in the same way. @throws StoreError `passkey_gone` */
export async function requireGiver(sql: Query, grant: Grant, given: GivenBy | undefined): Promise<void> {
  if (given?.passkey === undefined) return;
  const [row] = await sql<PasskeyRow[]>`select * from passkeys where credential_id = ${given.passkey}`;
  requireSigner(grant, row);
}

/** Records a use, within the transaction that required it. */
export async function countPasskeyUse(sql: Query, use: PasskeyUse | undefined): Promise<void> {
  if (!use) return;
  await sql`update passkeys set counter = ${use.counter}, last_used_at = ${new Date(use.now).toISOString()}
    where credential_id = ${use.credentialId}`;
}

/** Passkeys of people (SIGN2). */
export class Passkeys implements PasskeyStore {
  readonly #sql: Sql;
  readonly #queue: CommitQueue;

  constructor(sql: Sql, queue: CommitQueue) {
    this.#sql = sql;
    this.#queue = queue;
  }

  add(passkey: Passkey, { authority, use }: PasskeyChange): Promise<void> {
    const { id, person, credentialId, counter, createdAt } = passkey;
    return this.#queue.write({ isPower: true }, async (group) => {
      const { sql } = group;
      await requireAuthority(sql, authority);
      const count = await countOf(sql, person);
      requireSigned(use, person, count);
      await requireUse(sql, use);
      requirePasskeyRoom(count);
      const [taken] = await sql`select 1 from passkeys where credential_id = ${credentialId}`;
      if (taken) throw refuseCredential();
      await countPasskeyUse(sql, use);
      await sql`insert into passkeys (id, person, credential_id, counter, created_at, details)
        values (${id}, ${person}, ${credentialId}, ${counter}, ${createdAt}, ${detailsOfPasskey(passkey)})`;
      await group.auditAccess(passkeyAdded(passkey));
    });
  }

  async find(credentialId: string): Promise<Passkey | undefined> {
    const [row] = await lookUp(
      () => this.#sql<PasskeyRow[]>`select * from passkeys where credential_id = ${credentialId}`,
    );
    return row && toPasskey(row);
  }

  async list(person?: string): Promise<readonly Passkey[]> {
    const sql = this.#sql;
    const isMeant = person === undefined ? sql`true` : sql`person = ${person}`;
    const rows = await lookUp(
      () => sql<PasskeyRow[]>`select * from passkeys where ${isMeant} order by created_at, id collate "C"`,
    );
    return rows.map(toPasskey);
  }

  rename({ id, person }: Pick<Passkey, 'id' | 'person'>, name: string, authority: Authority): Promise<boolean> {
    return this.#queue.write({ isPower: true }, async ({ sql }) => {
      await requireAuthority(sql, authority);
      const [row] = await sql<PasskeyRow[]>`select * from passkeys where id = ${id} and person = ${person}`;
      if (!row) return false;
      await sql`update passkeys set details = ${detailsOfPasskey({ ...toPasskey(row), name })} where id = ${id}`;
      return true;
    });
  }

  remove({ id, person }: Pick<Passkey, 'id' | 'person'>, { authority, use }: PasskeyChange): Promise<boolean> {
    return this.#queue.write({ isPower: true }, async (group) => {
      const { sql } = group;
      await requireAuthority(sql, authority);
      requireSigned(use, person, await countOf(sql, person));
      await requireUse(sql, use);
      await countPasskeyUse(sql, use);
      return end(group, sql`id = ${id} and person = ${person}`);
    });
  }

  revoke(id: string): Promise<boolean> {
    return this.#queue.write({ isPower: true }, (group) => end(group, group.sql`id = ${id}`));
  }
}

async function countOf(sql: Query, person: string): Promise<number> {
  const rows = await sql`select 1 from passkeys where person = ${person}`;
  return rows.length;
}

async function end(group: WriteTransaction, which: Condition): Promise<boolean> {
  const removed = await group.sql<Pick<PasskeyRow, 'id' | 'person'>[]>`
    delete from passkeys where ${which} returning id, person`;
  for (const each of removed) {
    await group.auditAccess(passkeyRemoved(each));
    const grants = await group.sql<{ id: string }[]>`delete from grants where signer = ${each.person} returning id`;
    for (const { id } of grants) await group.auditAccess(grantRevoked(id, 'passkey_removed'));
    if (grants.length > 0) await group.tell('grants');
  }
  return removed.length > 0;
}

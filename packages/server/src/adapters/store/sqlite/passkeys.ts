import type { Authority, Passkey, PasskeyChange, PasskeyStore, PasskeyUse } from '@parleyhq/core';
import {
  type CommitQueue,
  detailsOfPasskey,
  grantRevoked,
  type PasskeyRow,
  passkeyAdded,
  passkeyRemoved,
  refuseCredential,
  requirePasskey,
  requirePasskeyRoom,
  requireSigned,
  toPasskey,
} from '@parleyhq/store-kit';
import type { Audit } from './audit.ts';
import { type Database, lookUp, pluck, type Statement } from './database.ts';
import type { Credentials } from './tokens-and-logins.ts';

interface PasskeysParts {
  readonly queue: CommitQueue;
  readonly audit: Audit;
  readonly credentials: Credentials;
}

/** Passkeys as writes that depend on one see them. */
export class PasskeyRows {
  readonly #find: Statement<PasskeyRow>;
  readonly #use: Statement;

  constructor(db: Database) {
    this.#find = db.prepare('select * from passkeys where credential_id = ?');
    this.#use = db.prepare('update passkeys set counter = ?, last_used_at = ? where credential_id = ?');
  }

  find(credentialId: string): PasskeyRow | undefined {
    return this.#find.get(credentialId);
  }

  /** Call within a write, before anything changes. @throws StoreError `passkey_gone` */
  require(use: PasskeyUse | undefined): void {
    if (use) requirePasskey(use, this.#find.get(use.credentialId)); // mutant: passkey-held
  }

  /** Records a use. Call within the write that required it. */
  count(use: PasskeyUse | undefined): void {
    if (use) this.#use.run(use.counter, new Date(use.now).toISOString(), use.credentialId);
  }
}

/** Passkeys of people (SIGN2). */
export class Passkeys implements PasskeyStore {
  readonly #parts: PasskeysParts;
  readonly #rows: PasskeyRows;
  readonly #add: Statement;
  readonly #list: Statement<PasskeyRow>;
  readonly #listOf: Statement<PasskeyRow>;
  readonly #count: Statement<{ readonly count: number }>;
  readonly #rename: Statement;
  readonly #remove: Statement<Pick<PasskeyRow, 'person'>>;
  readonly #removeGrants: Statement<string>;

  constructor(db: Database, parts: PasskeysParts) {
    this.#parts = parts;
    this.#rows = new PasskeyRows(db);
    this.#add = db.prepare(
      'insert into passkeys (id, person, credential_id, counter, created_at, details) values (?, ?, ?, ?, ?, ?)',
    );
    this.#list = db.prepare('select * from passkeys order by created_at, id');
    this.#listOf = db.prepare('select * from passkeys where person = ? order by created_at, id');
    this.#count = db.prepare('select count(*) as count from passkeys where person = ?');
    this.#rename = db.prepare(
      "update passkeys set details = json_set(details, '$.name', ?) where id = ? and person = ?",
    );
    this.#remove = db.prepare(
      'delete from passkeys where id = $id and ($person is null or person = $person) returning person',
    );
    this.#removeGrants = pluck(
      db,
      `delete from grants where json_extract(details, '$.isSigned')
       and coalesce(json_extract(details, '$.by.owner'), json_extract(details, '$.by.principal')) = ? returning id`,
    );
  }

  add(passkey: Passkey, { authority, use }: PasskeyChange): Promise<void> {
    const { queue, audit, credentials } = this.#parts;
    const { id, person, credentialId, counter, createdAt } = passkey;
    return queue.write(() => {
      credentials.require(authority);
      const count = this.#countOf(person);
      requireSigned(use, person, count);
      this.#rows.require(use);
      requirePasskeyRoom(count);
      if (this.#rows.find(credentialId)) throw refuseCredential();
      this.#rows.count(use);
      this.#add.run(id, person, credentialId, counter, createdAt, detailsOfPasskey(passkey));
      audit.addPower(passkeyAdded(passkey));
    });
  }

  async find(credentialId: string): Promise<Passkey | undefined> {
    const row = lookUp(() => this.#rows.find(credentialId));
    return row && toPasskey(row);
  }

  async list(person?: string): Promise<readonly Passkey[]> {
    return lookUp(() => (person === undefined ? this.#list.all() : this.#listOf.all(person)).map(toPasskey));
  }

  rename({ id, person }: Pick<Passkey, 'id' | 'person'>, name: string, authority: Authority): Promise<boolean> {
    return this.#parts.queue.write(() => {
      this.#parts.credentials.require(authority);
      return this.#rename.run(name, id, person).changes > 0;
    });
  }

  remove({ id, person }: Pick<Passkey, 'id' | 'person'>, { authority, use }: PasskeyChange): Promise<boolean> {
    return this.#parts.queue.write(() => {
      this.#parts.credentials.require(authority);
      requireSigned(use, person, this.#countOf(person));
      this.#rows.require(use);
      this.#rows.count(use);
      return this.#end(id, person);
    });
  }

  revoke(id: string): Promise<boolean> {
    return this.#parts.queue.write(() => this.#end(id, null));
  }

  #countOf(person: string): number {
    return this.#count.get(person)?.count ?? 0;
  }

  #end(id: string, person: string | null): boolean {
    const removed = this.#remove.get({ id, person });
    if (!removed) return false;
    const { audit } = this.#parts;
    audit.addPower(passkeyRemoved({ id, person: removed.person }));
    for (const grantId of this.#removeGrants.all(removed.person))
      audit.addPower(grantRevoked(grantId, 'passkey_removed'));
    return true;
  }
}

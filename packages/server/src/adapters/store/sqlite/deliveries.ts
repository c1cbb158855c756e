import type { Authority, Delivery, DeliveryStore, Device, DeviceStore, PromptRef } from '@parleyhq/core';
import {
  type CommitQueue,
  deletedSession,
  keptDeliveriesSince,
  outlivesSession,
  promptOfDeleted,
} from '@parleyhq/store-kit';
import { type Database, lookUp, pluck, type Statement } from './database.ts';
import type { Credentials } from './tokens-and-logins.ts';

/** Devices that receive push messages. */
export class Devices implements DeviceStore {
  readonly #queue: CommitQueue;
  readonly #credentials: Credentials;
  readonly #put: Statement;
  readonly #list: Statement<string>;
  readonly #remove: Statement;

  constructor(db: Database, queue: CommitQueue, credentials: Credentials) {
    this.#queue = queue;
    this.#credentials = credentials;
    this.#put = db.prepare('insert or replace into devices (id, endpoint, details) values (?, ?, ?)');
    this.#list = pluck(db, "select details from devices order by json_extract(details, '$.createdAt'), id");
    this.#remove = db.prepare('delete from devices where id = ?');
  }

  put(device: Device, authority?: Authority): Promise<void> {
    return this.#queue.write(() => {
      this.#credentials.require(authority);
      this.#put.run(device.id, device.subscription.endpoint, JSON.stringify(device));
    });
  }

  async list(): Promise<readonly Device[]> {
    return lookUp(() => this.#list.all().map((details): Device => JSON.parse(details)));
  }

  remove(id: string): Promise<boolean> {
    return this.#queue.write(() => this.#remove.run(id).changes > 0);
  }
}

/** Notifications to people, sent or due; deleted with their session, or once their message was changed. */
export class Deliveries implements DeliveryStore {
  readonly #queue: CommitQueue;
  readonly #put: Statement;
  readonly #putDeleted: Statement;
  readonly #removeDeleted: Statement;
  readonly #prune: Statement;
  readonly #unfinished: Statement<string>;
  readonly #ofPrompt: Statement<string>;
  readonly #list: Statement<string>;

  constructor(db: Database, queue: CommitQueue) {
    this.#queue = queue;
    this.#put = db.prepare(
      `insert or replace into deliveries (session, interaction_id, target, principal, state, at, details)
       select key, ?, ?, ?, ?, ?, ? from sessions where id = ?`,
    );
    this.#putDeleted = db.prepare(
      `insert or replace into deliveries (session, interaction_id, target, principal, state, at, details)
       values (${deletedSession}, ?, ?, ?, ?, ?, ?)`,
    );
    this.#removeDeleted = db.prepare(
      `delete from deliveries where session = ${deletedSession} and interaction_id = ? and target = ?`,
    );
    this.#prune = db.prepare("delete from deliveries where at < ? and state in ('failed', 'withdrawn')");
    this.#unfinished = pluck(db, "select details from deliveries where state in ('due', 'sent') order by at");
    this.#ofPrompt = pluck(
      db,
      'select d.details from deliveries d join sessions s on s.key = d.session where s.id = ? and d.interaction_id = ?',
    );
    this.#list = pluck(
      db,
      'select details from deliveries where principal = coalesce(?, principal) order by at desc, interaction_id desc, target limit ?',
    );
  }

  put(deliveries: readonly Delivery[]): Promise<void> {
    return this.#queue.write(() => {
      for (const delivery of deliveries) {
        const { sessionId, interactionId, target, principal, state, at } = delivery;
        const details = JSON.stringify(delivery);
        if (this.#put.run(interactionId, target, principal, state, at, details, sessionId).changes > 0) continue;
        const prompt = promptOfDeleted(delivery);
        if (outlivesSession(delivery)) this.#putDeleted.run(prompt, target, principal, state, at, details);
        else this.#removeDeleted.run(prompt, target);
      }
      this.#prune.run(keptDeliveriesSince(deliveries));
    });
  }

  async unfinished(): Promise<readonly Delivery[]> {
    return lookUp(() => this.#unfinished.all().map(toDelivery));
  }

  async ofPrompts(places: readonly PromptRef[]): Promise<readonly Delivery[]> {
    return lookUp(() =>
      places.flatMap(({ sessionId, interactionId }) => this.#ofPrompt.all(sessionId, interactionId).map(toDelivery)),
    );
  }

  async list({ principal, limit }: { principal?: string | undefined; limit: number }): Promise<readonly Delivery[]> {
    return lookUp(() => this.#list.all(principal ?? null, limit).map(toDelivery));
  }
}

function toDelivery(details: string): Delivery {
  return JSON.parse(details);
}

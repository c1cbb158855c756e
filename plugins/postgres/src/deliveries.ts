import type { Authority, Delivery, DeliveryStore, Device, DeviceStore, PromptRef } from '@parleyhq/core';
import { deletedSession, keptDeliveriesSince, outlivesSession, promptOfDeleted } from '@parleyhq/store-kit';
import type { CommitQueue } from './commit-queue.ts';
import { requireAuthority } from './credentials.ts';
import { lookUp, type Sql } from './database.ts';

type Row = { readonly details: string };

/** Devices that receive push messages. */
export class Devices implements DeviceStore {
  readonly #sql: Sql;
  readonly #queue: CommitQueue;

  constructor(sql: Sql, queue: CommitQueue) {
    this.#sql = sql;
    this.#queue = queue;
  }

  put(device: Device, authority?: Authority): Promise<void> {
    const { id, createdAt, subscription } = device;
    return this.#queue.write({}, async (group) => {
      const { sql } = group;
      await requireAuthority(sql, authority);
      await sql`delete from devices where id = ${id} or endpoint = ${subscription.endpoint}`;
      await sql`insert into devices (id, endpoint, created_at, details)
        values (${id}, ${subscription.endpoint}, ${createdAt}, ${JSON.stringify(device)})`;
      await group.tell('devices');
    });
  }

  async list(): Promise<readonly Device[]> {
    const rows = await lookUp(() => this.#sql<Row[]>`select details from devices order by created_at, id collate "C"`);
    return rows.map(({ details }): Device => JSON.parse(details));
  }

  remove(id: string): Promise<boolean> {
    return this.#queue.write({}, async (group) => {
      const { count } = await group.sql`delete from devices where id = ${id}`;
      if (count > 0) await group.tell('devices');
      return count > 0;
    });
  }
}

/** Notifications to people, due and sent. They are deleted with their session, or once their message was changed. */
export class Deliveries implements DeliveryStore {
  readonly #sql: Sql;
  readonly #queue: CommitQueue;

  constructor(sql: Sql, queue: CommitQueue) {
    this.#sql = sql;
    this.#queue = queue;
  }

  put(deliveries: readonly Delivery[]): Promise<void> {
    const sessions = deliveries.map(({ sessionId }) => sessionId);
    return this.#queue.write({ sessions }, async (group) => {
      const { sql } = group;
      for (const delivery of deliveries) {
        const { sessionId, interactionId, target, principal, state, at } = delivery;
        const place = group.locate(sessionId);
        const key = place?.key ?? deletedSession;
        const prompt = place ? interactionId : promptOfDeleted(delivery);
        if (!place && !outlivesSession(delivery)) {
          await sql`delete from deliveries where session = ${key} and interaction_id = ${prompt} and target = ${target}`;
          continue;
        }
        await sql`insert into deliveries (session, interaction_id, target, principal, state, at, details)
          values (${key}, ${prompt}, ${target}, ${principal}, ${state}, ${at}, ${JSON.stringify(delivery)})
          on conflict (session, interaction_id, target) do update
          set principal = excluded.principal, state = excluded.state, at = excluded.at, details = excluded.details`;
      }
      await sql`delete from deliveries
        where at < ${keptDeliveriesSince(deliveries)} and state in ('failed', 'withdrawn')`;
    });
  }

  async unfinished(): Promise<readonly Delivery[]> {
    const rows = await lookUp(
      () => this.#sql<Row[]>`select details from deliveries where state in ('due', 'sent') order by at`,
    );
    return rows.map(toDelivery);
  }

  async list({ principal, limit }: { principal?: string | undefined; limit: number }): Promise<readonly Delivery[]> {
    const sql = this.#sql;
    const isMeant = principal === undefined ? sql`true` : sql`principal = ${principal}`;
    const rows = await lookUp(
      () => sql<Row[]>`select details from deliveries where ${isMeant}
        order by at desc, interaction_id desc, target limit ${limit}`,
    );
    return rows.map(toDelivery);
  }

  async ofPrompts(places: readonly PromptRef[]): Promise<readonly Delivery[]> {
    const sessions = places.map(({ sessionId }) => sessionId);
    const prompts = places.map(({ interactionId }) => interactionId);
    const rows = await lookUp(
      () => this.#sql<Row[]>`
        select details from deliveries join sessions on sessions.key = session
        join unnest(${sessions}::text[], ${prompts}::text[]) as wanted (session_id, prompt)
        on wanted.session_id = sessions.id and wanted.prompt = interaction_id`,
    );
    return rows.map(toDelivery);
  }
}

function toDelivery({ details }: Row): Delivery {
  return JSON.parse(details);
}

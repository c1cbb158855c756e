import type { LoginCodeStore } from '@parleyhq/core';
import type { CommitQueue } from './commit-queue.ts';
import { lookUp, type Sql } from './database.ts';

/** One-time login codes of all live nodes (SEC2). */
export class LoginCodes implements LoginCodeStore {
  readonly #sql: Sql;
  readonly #queue: CommitQueue;

  constructor(sql: Sql, queue: CommitQueue) {
    this.#sql = sql;
    this.#queue = queue;
  }

  add(hash: string, node: string): Promise<void> {
    return this.#queue.write({}, async ({ sql }) => {
      await sql`insert into login_codes (hash, node) values (${hash}, ${node})`;
    });
  }

  async has(hash: string): Promise<boolean> {
    const rows = await lookUp(
      () => this.#sql`
        select 1 from login_codes join nodes on nodes.id = node where hash = ${hash} and until > clock_timestamp()`,
    );
    return rows.length > 0;
  }

  remove(hash: string): Promise<boolean> {
    return this.#queue.write({}, async ({ sql }) => {
      const removed = await sql`
        delete from login_codes using nodes
        where nodes.id = node and hash = ${hash} and until > clock_timestamp() returning 1`;
      return removed.length > 0;
    });
  }
}

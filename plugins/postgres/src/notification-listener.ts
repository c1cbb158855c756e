import { randomUUID } from 'node:crypto';
import { connect, lookUp, type Sql } from './database.ts';
import { PoolConnections } from './pool-connections.ts';

/** Interval of the check that notifications still arrive, in ms. */
const beatMs = 5000;

/**
 * Receives notifications on a separate connection. No statements run on it, so a network that drops its packets would go
 * unnoticed. It therefore notifies itself regularly, and reconnects if a notification does not arrive.
 */
export class NotificationListener {
  readonly #sql: Sql;
  readonly #wires = new PoolConnections({ isPatient: true });
  readonly #listening: Sql;
  readonly #echo = `parley_echo_${randomUUID()}`;
  /** Whether the last notification to itself has arrived. */
  #isAnswered = true;
  #timer: NodeJS.Timeout | undefined;

  /** @param sql - the pool that sends the notifications to itself */
  constructor(sql: Sql, url: string) {
    this.#sql = sql;
    this.#listening = connect(url, this.#wires);
  }

  /**
   * Resolves once it listens. It listens again after each loss of its connection; notifications sent meanwhile are lost.
   * @param onListen - called each time it has begun to listen
   * @throws StoreError
   */
  async listen(channel: string, onPayload: (payload: string) => void, onListen?: () => void): Promise<void> {
    await lookUp(() => this.#listening.listen(channel, onPayload, onListen));
  }

  /** Starts the check that notifications arrive. @throws StoreError */
  async open(): Promise<void> {
    const onEcho = () => {
      this.#isAnswered = true;
    };
    await this.listen(this.#echo, onEcho, onEcho);
    this.#timer = setInterval(() => this.#beat(), beatMs).unref();
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    await this.#listening.end({ timeout: 0 });
  }

  #beat(): void {
    if (!this.#isAnswered) {
      this.#isAnswered = true;
      this.#wires.cut();
      return;
    }
    this.#isAnswered = false;
    this.#sql.notify(this.#echo, '').catch(() => {
      this.#isAnswered = true; // nothing was sent; writes to the store report that the database cannot be reached
    });
  }
}

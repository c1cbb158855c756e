import { randomUUID } from 'node:crypto';
import { connect, lookUp, type Sql } from './database.ts';
import { Wires } from './wires.ts';

/** In ms: how often it finds out whether it hears. */
const beatMs = 5000;

/**
 * Hears notifications, on a connection of its own (OPS4). Nothing is asked on that one, so that nobody would notice where the
 * network swallows what comes: it notifies itself now and then, and where that does not come it listens anew.
 */
export class Ear {
  readonly #sql: Sql;
  readonly #wires = new Wires({ isPatient: true });
  readonly #listening: Sql;
  readonly #echo = `parley_echo_${randomUUID()}`;
  /** Its last notification has come, or none is on its way. */
  #hears = true;
  #timer: NodeJS.Timeout | undefined;

  /** @param sql - to notify by */
  constructor(sql: Sql, url: string) {
    this.#sql = sql;
    this.#listening = connect(url, this.#wires);
  }

  /**
   * Resolves once it listens. It listens again after each loss of its connection, and what came meanwhile is lost.
   * @param onListen - called each time that it has begun
   * @throws StoreError
   */
  async listen(channel: string, onPayload: (payload: string) => void, onListen?: () => void): Promise<void> {
    await lookUp(() => this.#listening.listen(channel, onPayload, onListen));
  }

  /** From now on it notices where it does not hear. @throws StoreError */
  async open(): Promise<void> {
    const hears = () => {
      this.#hears = true;
    };
    await this.listen(this.#echo, hears, hears);
    this.#timer = setInterval(() => this.#beat(), beatMs).unref();
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    await this.#listening.end({ timeout: 0 });
  }

  #beat(): void {
    if (!this.#hears) {
      this.#hears = true;
      this.#wires.cut();
      return;
    }
    this.#hears = false;
    this.#sql.notify(this.#echo, '').catch(() => {
      this.#hears = true; // nothing was sent: whoever must store something hears that the database is away
    });
  }
}

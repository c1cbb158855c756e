import { type ChatEvent, type Limit, limits } from '@parleyhq/core';
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';

/** What an operator watches (OPS3). One registry a server, so that two in one process do not mix. */
export class Metrics {
  readonly registry = new Registry();
  readonly connections: Gauge;
  readonly claimsLost: Counter;
  readonly connectionsDropped: Counter<'reason'>;
  readonly wrongTokens: Counter<'door'>;
  readonly #limitsReached: Counter<'limit'>;
  readonly appendSeconds: Histogram;
  readonly #timeToAnswer: Histogram;
  readonly #openedAt = new Map<string, number>();

  constructor(now: () => number) {
    const registers = [this.registry];
    collectDefaultMetrics({ register: this.registry });
    this.connections = new Gauge({ name: 'parley_connections', help: 'Connected clients', registers });
    this.claimsLost = new Counter({
      name: 'parley_claims_lost_total',
      help: 'Answers that came after the winner',
      registers,
    });
    this.connectionsDropped = new Counter({
      name: 'parley_connections_dropped_total',
      help: 'Connections that the server ended, by reason',
      labelNames: ['reason'],
      registers,
    });
    this.wrongTokens = new Counter({
      name: 'parley_wrong_tokens_total',
      help: 'Wrong tokens, by where they were shown',
      labelNames: ['door'],
      registers,
    });
    this.#limitsReached = new Counter({
      name: 'parley_limits_reached_total',
      help: 'What was refused for its size, number or rate, by limit',
      labelNames: ['limit'],
      registers,
    });
    for (const limit of Object.keys(limits)) this.#limitsReached.inc({ limit }, 0); // seen before it is first reached
    this.appendSeconds = new Histogram({
      name: 'parley_append_seconds',
      help: 'From decision to commit',
      buckets: [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.5, 2],
      registers,
    });
    this.#timeToAnswer = new Histogram({
      name: 'parley_time_to_answer_seconds',
      help: 'From a prompt to its answer',
      buckets: [1, 5, 15, 60, 300, 1800, 7200, 86_400],
      registers,
    });
    const openedAt = this.#openedAt;
    new Gauge({
      name: 'parley_open_prompts',
      help: 'Prompts that wait for an answer',
      registers,
      collect() {
        this.set(openedAt.size);
      },
    });
    new Gauge({
      name: 'parley_oldest_open_prompt_seconds',
      help: 'Age of the oldest prompt that waits',
      registers,
      collect() {
        const [oldest = now()] = openedAt.values();
        this.set((now() - oldest) / 1000);
      },
    });
  }

  /** Something was refused for this limit (SEC6). */
  reached(limit: Limit): void {
    this.#limitsReached.inc({ limit });
  }

  /** A prompt that waited already when the server started. */
  openedBefore(sessionId: string, interactionId: string, at: number): void {
    this.#openedAt.set(`${sessionId} ${interactionId}`, at);
  }

  observe(event: ChatEvent): void {
    switch (event.type) {
      case 'interaction_request':
        this.openedBefore(event.sessionId, event.payload.interactionId, Date.parse(event.timestamp));
        break;
      case 'interaction_response':
      case 'interaction_closed': {
        const key = `${event.sessionId} ${event.payload.interactionId}`;
        const openedAt = this.#openedAt.get(key);
        this.#openedAt.delete(key);
        if (event.type === 'interaction_response' && openedAt !== undefined) {
          this.#timeToAnswer.observe((Date.parse(event.timestamp) - openedAt) / 1000);
        }
        break;
      }
      default:
    }
  }
}

import { type HeadChange, type Limit, limits, type Quota, quotas, type RefusalError } from '@parleyhq/core';
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';

/** Metrics for operators (OPS3). Each server has its own registry, so that two in one process do not mix. */
export class Metrics {
  readonly registry = new Registry();
  readonly #claimsLost: Counter;
  readonly connectionsDropped: Counter<'reason'>;
  readonly wrongTokens: Counter<'door'>;
  readonly deliveries: Counter<'way' | 'result'>;
  readonly #limitsReached: Counter<'limit'>;
  readonly callsHibernated: Counter;
  readonly appendSeconds: Histogram;
  readonly toolSeconds: Histogram<'tool'>;
  readonly #timeToAnswer: Histogram;
  readonly #openedAt = new Map<string, number>();

  constructor(
    now: () => number,
    { clients, left }: { readonly clients: { readonly size: number }; readonly left: () => number },
  ) {
    const registers = [this.registry];
    collectDefaultMetrics({ register: this.registry });
    new Gauge({
      name: 'parley_connections',
      help: 'Connected clients',
      registers,
      collect() {
        this.set(clients.size);
      },
    });
    new Gauge({
      name: 'parley_calls_to_enter',
      help: 'Calls found at the start that have still to be looked at or entered again in the background',
      registers,
      collect() {
        this.set(left());
      },
    });
    this.callsHibernated = new Counter({
      name: 'parley_calls_hibernated_total',
      help: 'Waiting calls that left memory because their session was quiet',
      registers,
    });
    this.#claimsLost = new Counter({
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
      help: 'Wrong tokens, by login method',
      labelNames: ['door'],
      registers,
    });
    this.deliveries = new Counter({
      name: 'parley_deliveries_total',
      help: 'Attempts to notify people who are not looking, by way and result',
      labelNames: ['way', 'result'],
      registers,
    });
    this.#limitsReached = new Counter({
      name: 'parley_limits_reached_total',
      help: 'Refusals because of size, number or rate, by limit',
      labelNames: ['limit'],
      registers,
    });
    // visible before the limit is first reached
    for (const limit of Object.keys({ ...limits, ...quotas })) this.#limitsReached.inc({ limit }, 0);
    this.appendSeconds = new Histogram({
      name: 'parley_append_seconds',
      help: 'From decision to commit',
      buckets: [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.5, 2],
      registers,
    });
    this.toolSeconds = new Histogram({
      name: 'parley_tool_seconds',
      help: 'Own time of tools, without what they waited for people and hooks, by tool',
      labelNames: ['tool'],
      buckets: [0.01, 0.1, 1, 10, 60, 600],
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
        const oldest = [...openedAt.values()].reduce((min, at) => Math.min(min, at), now());
        this.set((now() - oldest) / 1000);
      },
    });
  }

  /** Counts a refusal because of this limit (SEC6). */
  reached(limit: Limit | Quota): void {
    this.#limitsReached.inc({ limit });
  }

  /** Counts a refused command: an answer that came second is a lost claim. */
  refused({ code }: RefusalError): void {
    if (code === 'already_answered') this.#claimsLost.inc();
  }

  /** Follows how many prompts are open and how long people take, derived from the head after each commit. */
  follow(change: HeadChange & { readonly isForeign: boolean }): void {
    const { opened, settled } = change.prompts;
    const keyOf = (interactionId: string) => `${change.sessionId} ${interactionId}`;
    for (const { request, timestamp } of opened)
      this.#openedAt.set(keyOf(request.interactionId), Date.parse(timestamp));
    for (const { request, timestamp } of settled) {
      this.#openedAt.delete(keyOf(request.interactionId));
      if (change.isForeign) continue; // counted by the node that received the answer
      const answer = change.events.find(
        ({ type, payload }) => type === 'interaction_response' && payload.interactionId === request.interactionId,
      );
      if (answer) this.#timeToAnswer.observe((Date.parse(answer.timestamp) - Date.parse(timestamp)) / 1000);
    }
  }
}

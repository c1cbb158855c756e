import { type HeadChange, type Limit, limits, type Quota, quotas, type RefusalError } from '@parleyhq/core';
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';

/** What other parts count. */
interface Counted {
  readonly clients: { readonly size: number };
  /** Returns the number of calls left to examine after the start. */
  readonly left: () => number;
  /** Returns the number of sessions in memory. */
  readonly loaded: () => number;
  readonly inbox: () => { readonly size: number; readonly oldest: number | undefined };
}

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

  constructor(now: () => number, { clients, left, loaded, inbox }: Counted) {
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
    new Gauge({
      name: 'parley_sessions_in_memory',
      help: 'Sessions in memory; the others are loaded when somebody opens them or something wakes them',
      registers,
      collect() {
        this.set(loaded());
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
    new Gauge({
      name: 'parley_open_prompts',
      help: 'Prompts that wait for an answer',
      registers,
      collect() {
        this.set(inbox().size);
      },
    });
    new Gauge({
      name: 'parley_oldest_open_prompt_seconds',
      help: 'Age of the oldest prompt that waits',
      registers,
      collect() {
        this.set(Math.max(0, now() - (inbox().oldest ?? now())) / 1000);
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

  /** Follows how long people take. */
  follow(change: HeadChange & { readonly isForeign: boolean }): void {
    if (change.isForeign) return; // counted by the node that received the answer
    for (const { request, timestamp } of change.prompts.settled) {
      const answer = change.events.find(
        ({ type, payload }) => type === 'interaction_response' && payload.interactionId === request.interactionId,
      );
      if (answer) this.#timeToAnswer.observe((Date.parse(answer.timestamp) - Date.parse(timestamp)) / 1000);
    }
  }
}

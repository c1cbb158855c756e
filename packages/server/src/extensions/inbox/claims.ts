import {
  type Actor,
  type Claim,
  type HeadChange,
  type InteractionId,
  type InteractionRequest,
  type OpenPrompt,
  personOf,
  type SessionId,
} from '@parleyhq/core';
import type { Client, PublishToPeers, SessionMessage } from '@parleyhq/runtime';
import type { Inbox } from './inbox.ts';

/** How long a claim lasts, in ms, unless it is renewed. */
const claimMs = 5 * 60_000;

interface ClaimsOptions {
  readonly clients: ReadonlySet<Client>;
  readonly inbox: Pick<Inbox, 'isFor'>;
  readonly now: () => number;
  readonly publishToPeers: PublishToPeers;
}

/** A claim that is valid for `leftMs` more, independent of clocks; 0 if it was released. */
export interface ClaimMessage extends SessionMessage {
  readonly kind: 'claim';
  readonly interactionId: InteractionId;
  readonly by: Actor;
  readonly leftMs: number;
}

type Place = Pick<ClaimMessage, 'sessionId' | 'seq'>;

interface Claimed extends Claim, Place {
  readonly request: InteractionRequest;
  /** Whether the claim was made at another node. */
  readonly isHeard: boolean;
}

/**
 * Who is working on which prompt: the newest claim, published to everybody who may answer it. It is never stored, decides nothing
 * and keeps nobody from answering (TEAM4).
 */
export class Claims {
  readonly #options: ClaimsOptions;
  readonly #claims = new Map<string, Claimed>();

  constructor(options: ClaimsOptions) {
    this.#options = options;
  }

  /** Claims a prompt for somebody, or releases it. Only the claimant can release a claim. */
  claim(
    place: Place,
    { request }: Pick<OpenPrompt, 'request'>,
    { by, release }: { by: Actor; release: boolean },
  ): void {
    const current = this.#claims.get(keyOf(place.sessionId, request.interactionId));
    const isOwn = current !== undefined && personOf(current.by) === personOf(by);
    if (release && !isOwn) return;
    const now = this.#options.now();
    const until = new Date(release ? now : now + claimMs).toISOString();
    const claimed = { ...place, request, by, until, isHeard: false };
    this.#keep(claimed);
    this.#publish(claimed);
  }

  /** Receives a claim, or its release, from another node. */
  receive({ sessionId, seq, by, leftMs }: ClaimMessage, { request }: Pick<OpenPrompt, 'request'>): void {
    const until = new Date(this.#options.now() + leftMs).toISOString();
    this.#keep({ sessionId, seq, request, by, until, isHeard: true });
  }

  /** Publishes all claims of this node again, for a node that has joined. */
  republish(): void {
    this.#dropOld(this.#options.now());
    for (const claimed of this.#claims.values()) if (!claimed.isHeard) this.#publish(claimed);
  }

  #keep(claimed: Claimed): void {
    this.#claims.set(keyOf(claimed.sessionId, claimed.request.interactionId), claimed);
    this.#dropOld(this.#options.now()); // a released claim has expired
    for (const client of this.#options.clients) this.#tell(client, claimed);
  }

  #publish({ sessionId, seq, request: { interactionId }, by, until }: Claimed): void {
    const leftMs = Math.max(0, Date.parse(until) - this.#options.now());
    this.#options.publishToPeers<ClaimMessage>({ kind: 'claim', sessionId, seq, interactionId, by, leftMs });
  }

  /** Sends all claims to a client that has just connected. */
  tellAll(client: Client): void {
    this.#dropOld(this.#options.now());
    for (const claimed of this.#claims.values()) this.#tell(client, claimed);
  }

  /** Drops the claims on settled prompts. */
  follow({ sessionId, prompts: { settled } }: HeadChange): void {
    if (this.#claims.size === 0) return;
    for (const { request } of settled) this.#claims.delete(keyOf(sessionId, request.interactionId));
  }

  #tell(client: Client, { sessionId, request, by, until }: Claimed): void {
    if (!this.#options.inbox.isFor(client.principal, sessionId, request)) return;
    client.send({ type: 'claimed', sessionId, interactionId: request.interactionId, by, until });
  }

  #dropOld(now: number): void {
    for (const [key, { until }] of this.#claims) if (Date.parse(until) <= now) this.#claims.delete(key);
  }
}

function keyOf(sessionId: SessionId, interactionId: InteractionId): string {
  return `${sessionId} ${interactionId}`;
}

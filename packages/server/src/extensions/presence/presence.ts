import { type Asked, type Availability, mayAnswer, maySee, type Principal, type SessionId } from '@parleyhq/core';
import type { Client } from '../../runtime/tabs/client.ts';
import { frameOf } from '../../runtime/tabs/frame-batch.ts';
import type { Followers, PublishToNodes } from '../../runtime/tabs/node-message.ts';
import type { Subscriptions } from '../../runtime/tabs/subscriptions.ts';
import { DelayedPublication } from './delayed-publication.ts';
import { FollowersElsewhere } from './followers-elsewhere.ts';

/** In ms: changes within this window are published once, so that a thousand returning tabs cause one frame each. */
const windowMs = 50;

/** Maximum number of followers published by name. */
const mostNames = 20;

/** Number of connections of one principal that can show prompts, and of those that want to answer. */
export interface Count {
  readonly principal: Principal;
  supported: number;
  enabled: number;
}

/**
 * Who is connected, and who could answer (INT14). The inbox is sent to every client, even if it has not subscribed to a session.
 */
export class Presence {
  readonly #clients: Set<Client>;
  readonly #subscriptions: Subscriptions;
  readonly #changed = new Set<SessionId>();
  /** Counts by principal: there are few principals, and all connections of one have the same permissions. */
  readonly #counts = new Map<string, Count>();
  /** Principals whose connections were opened, changed or closed; this affects the sessions that they may see. */
  readonly #moved = new Map<string, Principal>();
  /** Counts of the clients of other nodes (OPS4). */
  #elsewhere: readonly Count[] = [];
  readonly #followersElsewhere = new FollowersElsewhere();
  /** The followers here as last published to the other nodes. */
  readonly #publishedToNodes = new Map<SessionId, Followers>();
  readonly #publishToNodes: PublishToNodes | undefined;
  readonly #publication = new DelayedPublication(() => this.#broadcast());

  /**
   * @param clients - every client between hello and goodbye; maintained by this object, read by others
   * @param publishToNodes - undefined if there cannot be other nodes
   */
  constructor(clients: Set<Client>, subscriptions: Subscriptions, publishToNodes?: PublishToNodes) {
    this.#clients = clients;
    this.#subscriptions = subscriptions;
    this.#publishToNodes = publishToNodes;
  }

  connect(client: Client): void {
    this.#clients.add(client);
    this.#count(client, 1);
  }

  disconnect(client: Client): void {
    if (!this.#clients.delete(client)) return;
    this.#count(client, -1);
    for (const id of [...this.#subscriptions.sessionsOf(client)]) {
      this.#subscriptions.remove(client, id);
      this.changed(id);
    }
  }

  /** Counts to publish to other nodes. */
  get counts(): readonly Count[] {
    return [...this.#counts.values()];
  }

  /** Receives the counts of other nodes. */
  updateElsewhere(counts: readonly Count[]): void {
    if (JSON.stringify(counts) === JSON.stringify(this.#elsewhere)) return;
    for (const { principal } of [...this.#elsewhere, ...counts]) this.#moved.set(principal.id, principal);
    this.#elsewhere = counts;
    this.#publication.within(windowMs);
  }

  isFollowedElsewhere(sessionId: SessionId): boolean {
    return this.#followersElsewhere.add(sessionId, { connections: 0, people: [] }, 0).connections > 0;
  }

  /** Receives the followers of a session at another node. */
  updateFollowers(node: string, sessionId: SessionId, followers: Followers): void {
    if (this.#followersElsewhere.update(node, sessionId, followers)) this.changed(sessionId);
  }

  /** Forgets the followers at nodes that have ended. */
  forgetNodesBut(nodes: ReadonlySet<string>): void {
    for (const id of this.#followersElsewhere.keep(nodes)) this.changed(id);
  }

  /** Publishes all followers here again, for a node that has joined. */
  republish(): void {
    for (const [sessionId, followers] of this.#publishedToNodes)
      this.#publishToNodes?.({ kind: 'followers', sessionId, followers });
  }

  isHere(client: Client): boolean {
    return this.#clients.has(client);
  }

  /**
   * Returns a view whose getters always read the current counts.
   * @param canNotify - whether somebody without a connection can be notified
   */
  availability(id: SessionId, asked?: Asked, canNotify: () => boolean = () => false): Availability {
    const sum = (member: 'supported' | 'enabled') => this.#sum(member, id, asked);
    return {
      get available() {
        return sum('enabled') > 0 || canNotify();
      },
      get supportedCount() {
        return sum('supported');
      },
      get enabledCount() {
        return sum('enabled');
      },
    };
  }

  /** Sets whether a client wants to answer; enabling implies that it can show prompts (FRM2). */
  setEnabled(client: Client, isEnabled: boolean): void {
    this.#count(client, -1);
    client.isEnabled = isEnabled;
    client.isInteractive ||= isEnabled;
    this.#count(client, 1);
  }

  changed(id: SessionId): void {
    this.#changed.add(id);
    this.#publication.within(windowMs);
  }

  stop(): void {
    this.#publication.stop();
  }

  #count(client: Client, sign: 1 | -1): void {
    if (!client.isResponder || !client.isInteractive) return;
    const { principal } = client;
    const count = this.#counts.get(principal.id) ?? { principal, supported: 0, enabled: 0 };
    count.supported += sign;
    if (client.isEnabled) count.enabled += sign;
    if (count.supported === 0) this.#counts.delete(principal.id);
    else this.#counts.set(principal.id, count);
    this.#moved.set(principal.id, principal);
    this.#publication.within(windowMs);
  }

  #sum(member: 'supported' | 'enabled', id: SessionId, asked: Asked | undefined): number {
    let sum = 0;
    for (const { principal, [member]: count } of [...this.#counts.values(), ...this.#elsewhere]) {
      if (maySee(principal, id) && mayAnswer(principal, asked)) sum += count;
    }
    return sum;
  }

  /**
   * Marks the sessions that moved principals may see; once for all of them, because a thousand tabs may return at the same
   * moment.
   */
  #addMoved(): void {
    const moved = [...this.#moved.values()];
    this.#moved.clear();
    if (moved.length === 0) return;
    for (const id of this.#subscriptions.followed) {
      if (moved.some((principal) => maySee(principal, id))) this.#changed.add(id);
    }
  }

  #broadcast(): void {
    this.#addMoved();
    for (const sessionId of this.#changed) {
      const { supportedCount: interactive, enabledCount: enabled } = this.availability(sessionId);
      const clients = this.#subscriptions.clientsOf(sessionId);
      const here = { connections: clients.length, people: nameFollowers(clients) };
      this.#tellOthers(sessionId, here);
      const { connections, people } = this.#followersElsewhere.add(sessionId, here, mostNames);
      const counts = { type: 'presence', sessionId, connections, interactive, enabled } as const;
      const forPrograms = frameOf(counts);
      const forPeople = people.length > 0 ? frameOf({ ...counts, people: [...people] }) : forPrograms;
      for (const client of clients) client.sendBatch(isProgram(client) ? forPrograms : forPeople);
    }
    this.#changed.clear();
  }

  #tellOthers(sessionId: SessionId, followers: Followers): void {
    const told = this.#publishedToNodes.get(sessionId) ?? { connections: 0, people: [] };
    if (!this.#publishToNodes || JSON.stringify(told) === JSON.stringify(followers)) return;
    if (followers.connections === 0) this.#publishedToNodes.delete(sessionId);
    else this.#publishedToNodes.set(sessionId, followers);
    this.#publishToNodes({ kind: 'followers', sessionId, followers });
  }
}

function isProgram({ principal }: Client): boolean {
  return principal.role === 'asker';
}

/** Lists the named people, each once; a token without a name says nothing about its holder. */
function nameFollowers(clients: readonly Client[]): { principal: string; name: string }[] {
  const names = new Map<string, string>();
  for (const client of clients) {
    const { id, name } = client.principal;
    if (name !== undefined && !isProgram(client) && names.size < mostNames) names.set(id, name);
  }
  return [...names].map(([principal, name]) => ({ principal, name }));
}

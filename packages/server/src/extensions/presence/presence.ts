import { type Asked, type Availability, mayAnswer, maySee, type Principal, type SessionId } from '@parleyhq/core';
import { type Client, frameOf, type PublishToPeers, Replicated, type Subscriptions } from '@parleyhq/runtime';
import { DelayedPublication } from './delayed-publication.ts';
import { Followers, type FollowersMessage } from './followers.ts';

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
  /** The counts of all nodes. */
  readonly counts = new Replicated<readonly Count[]>(
    'counts',
    () => [...this.#counts.values()],
    (before) => {
      for (const { principal } of [...before, ...this.counts.others].flat()) this.#moved.set(principal.id, principal);
      this.#publication.within(windowMs);
    },
  );
  readonly followers: Followers;
  readonly #publication = new DelayedPublication(() => this.#broadcast());

  /** @param clients - every client between hello and goodbye; maintained by this object, read by others */
  constructor(clients: Set<Client>, subscriptions: Subscriptions, publishToPeers: PublishToPeers) {
    this.#clients = clients;
    this.#subscriptions = subscriptions;
    this.followers = new Followers(publishToPeers);
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

  /** Receives the followers of a session at another node. */
  receive(message: FollowersMessage, node: string): void {
    if (this.followers.receive(node, message)) this.changed(message.sessionId);
  }

  /** Forgets the followers at nodes that have ended. */
  forgetNodesBut(nodes: ReadonlySet<string>): void {
    for (const id of this.followers.keep(nodes)) this.changed(id);
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
    for (const { principal, [member]: count } of [...this.#counts.values(), ...this.counts.others.flat()]) {
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
      const { connections, people } = this.followers.update(sessionId, here, mostNames);
      const counts = { type: 'presence', sessionId, connections, interactive, enabled } as const;
      const forPrograms = frameOf(counts);
      const forPeople = people.length > 0 ? frameOf({ ...counts, people: [...people] }) : forPrograms;
      for (const client of clients) client.sendBatch(isProgram(client) ? forPrograms : forPeople);
    }
    this.#changed.clear();
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

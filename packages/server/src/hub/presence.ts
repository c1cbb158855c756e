import { type Asked, type Availability, mayAnswer, maySee, type Principal, type SessionId } from '@parleyhq/core';
import type { Client } from '../tabs/client.ts';
import { frameOf } from '../tabs/frame-batch.ts';
import type { Followers, TellNodes } from '../tabs/node-message.ts';
import type { Subscriptions } from '../tabs/subscriptions.ts';
import { Telling } from '../tabs/telling.ts';
import { FollowersElsewhere } from './followers-elsewhere.ts';

/** Changes within this time, in ms, are told once: a thousand tabs that return cause one frame each. */
const windowMs = 50;

/** So many followers are told by name. */
const mostNames = 20;

/** The connections of one principal that can draw prompts, and those of them that want to answer. */
export interface Count {
  readonly principal: Principal;
  supported: number;
  enabled: number;
}

/** Who is connected, and who could answer (INT14). Subscribed or not, the inbox reaches every client. */
export class Presence {
  readonly #clients: Set<Client>;
  readonly #subscriptions: Subscriptions;
  readonly #changed = new Set<SessionId>();
  /** By principal: there are few, and what one may do all its connections may. */
  readonly #counts = new Map<string, Count>();
  /** Those whose connections came, changed or went: it concerns the sessions that they may see. */
  readonly #moved = new Map<string, Principal>();
  /** Of the clients of other nodes (OPS4). */
  #elsewhere: readonly Count[] = [];
  readonly #followersElsewhere = new FollowersElsewhere();
  /** What the other nodes were told of the followers here. */
  readonly #toldNodes = new Map<SessionId, Followers>();
  readonly #tellNodes: TellNodes | undefined;
  readonly #telling = new Telling(() => this.#tell());

  /**
   * @param clients - every client between hello and goodbye; kept by this object, read by others
   * @param tellNodes - only where there may be other nodes
   */
  constructor(clients: Set<Client>, subscriptions: Subscriptions, tellNodes?: TellNodes) {
    this.#clients = clients;
    this.#subscriptions = subscriptions;
    this.#tellNodes = tellNodes;
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

  /** What other nodes are told. */
  get counts(): readonly Count[] {
    return [...this.#counts.values()];
  }

  /** What other nodes tell of their clients. */
  hearElsewhere(counts: readonly Count[]): void {
    if (JSON.stringify(counts) === JSON.stringify(this.#elsewhere)) return;
    for (const { principal } of [...this.#elsewhere, ...counts]) this.#moved.set(principal.id, principal);
    this.#elsewhere = counts;
    this.#telling.within(windowMs);
  }

  isFollowedElsewhere(sessionId: SessionId): boolean {
    return this.#followersElsewhere.add(sessionId, { connections: 0, people: [] }, 0).connections > 0;
  }

  /** Who follows a session at another node. */
  hearFollowers(node: string, sessionId: SessionId, followers: Followers): void {
    if (this.#followersElsewhere.hear(node, sessionId, followers)) this.changed(sessionId);
  }

  /** Those of nodes that have ended are gone. */
  forgetNodesBut(nodes: ReadonlySet<string>): void {
    for (const id of this.#followersElsewhere.keep(nodes)) this.changed(id);
  }

  /** A node that has come is told who is here. */
  retell(): void {
    for (const [sessionId, followers] of this.#toldNodes)
      this.#tellNodes?.({ kind: 'followers', sessionId, followers });
  }

  isHere(client: Client): boolean {
    return this.#clients.has(client);
  }

  /**
   * Live: reads what is true now.
   * @param canTell - whether somebody can be reached who has no connection
   */
  availability(id: SessionId, asked?: Asked, canTell: () => boolean = () => false): Availability {
    const sum = (member: 'supported' | 'enabled') => this.#sum(member, id, asked);
    return {
      get available() {
        return sum('enabled') > 0 || canTell();
      },
      get supportedCount() {
        return sum('supported');
      },
      get enabledCount() {
        return sum('enabled');
      },
    };
  }

  /** Enabling says that the client can draw prompts, too (FRM2). */
  setEnabled(client: Client, isEnabled: boolean): void {
    this.#count(client, -1);
    client.isEnabled = isEnabled;
    client.isInteractive ||= isEnabled;
    this.#count(client, 1);
  }

  changed(id: SessionId): void {
    this.#changed.add(id);
    this.#telling.within(windowMs);
  }

  stop(): void {
    this.#telling.stop();
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
    this.#telling.within(windowMs);
  }

  #sum(member: 'supported' | 'enabled', id: SessionId, asked: Asked | undefined): number {
    let sum = 0;
    for (const { principal, [member]: count } of [...this.#counts.values(), ...this.#elsewhere]) {
      if (maySee(principal, id) && mayAnswer(principal, asked)) sum += count;
    }
    return sum;
  }

  /** Looked up once for all who moved, not for each of them: a thousand tabs may return in the same moment. */
  #addMoved(): void {
    const moved = [...this.#moved.values()];
    this.#moved.clear();
    if (moved.length === 0) return;
    for (const id of this.#subscriptions.followed) {
      if (moved.some((principal) => maySee(principal, id))) this.#changed.add(id);
    }
  }

  #tell(): void {
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
    const told = this.#toldNodes.get(sessionId) ?? { connections: 0, people: [] };
    if (!this.#tellNodes || JSON.stringify(told) === JSON.stringify(followers)) return;
    if (followers.connections === 0) this.#toldNodes.delete(sessionId);
    else this.#toldNodes.set(sessionId, followers);
    this.#tellNodes({ kind: 'followers', sessionId, followers });
  }
}

function isProgram({ principal }: Client): boolean {
  return principal.role === 'asker';
}

/** People with names, each once: a token without one says nothing about who holds it. */
function nameFollowers(clients: readonly Client[]): { principal: string; name: string }[] {
  const names = new Map<string, string>();
  for (const client of clients) {
    const { id, name } = client.principal;
    if (name !== undefined && !isProgram(client) && names.size < mostNames) names.set(id, name);
  }
  return [...names].map(([principal, name]) => ({ principal, name }));
}

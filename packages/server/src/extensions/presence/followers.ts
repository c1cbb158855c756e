import type { SessionId } from '@parleyhq/core';
import type { PeerMessage, PublishToPeers } from '@parleyhq/runtime';

/** Number of the connections that follow a session, and the people with names among them. */
export interface Following {
  readonly connections: number;
  readonly people: readonly { readonly principal: string; readonly name: string }[];
}

/** Followers of a session at the node that sends it. */
export interface FollowersMessage extends PeerMessage {
  readonly kind: 'followers';
  readonly sessionId: SessionId;
  readonly followers: Following;
}

/** Followers of all sessions, at this node and at others. */
export class Followers {
  readonly #publishToPeers: PublishToPeers;
  /** The followers here as last published. */
  readonly #published = new Map<SessionId, Following>();
  readonly #elsewhere = new Map<string, Map<SessionId, Following>>();

  constructor(publishToPeers: PublishToPeers) {
    this.#publishToPeers = publishToPeers;
  }

  /** Publishes the followers here if they changed. @returns all followers: each person once, and at most `mostNames` names */
  update(id: SessionId, here: Following, mostNames: number): Following {
    if (set(this.#published, id, here)) this.#publish(id, here);
    let { connections } = here;
    const people = new Map(here.people.map((person) => [person.principal, person]));
    for (const sessions of this.#elsewhere.values()) {
      const there = sessions.get(id);
      connections += there?.connections ?? 0;
      for (const person of there?.people ?? []) people.set(person.principal, person);
    }
    return { connections, people: [...people.values()].slice(0, mostNames) };
  }

  /** Publishes all followers here again, for a node that has joined. */
  republish(): void {
    for (const [id, followers] of this.#published) this.#publish(id, followers);
  }

  /** Stores the followers that a node reports. @returns whether they changed */
  receive(node: string, { sessionId, followers }: FollowersMessage): boolean {
    const known = this.#elsewhere.get(node) ?? new Map<SessionId, Following>();
    this.#elsewhere.set(node, known);
    return set(known, sessionId, followers);
  }

  /** Forgets all nodes but these. @returns the sessions that were followed at forgotten nodes */
  keep(nodes: ReadonlySet<string>): SessionId[] {
    const ended = [...this.#elsewhere].filter(([node]) => !nodes.has(node));
    for (const [node] of ended) this.#elsewhere.delete(node);
    return ended.flatMap(([, sessions]) => [...sessions.keys()]);
  }

  isFollowedElsewhere(id: SessionId): boolean {
    return [...this.#elsewhere.values()].some((sessions) => sessions.has(id));
  }

  #publish(sessionId: SessionId, followers: Following): void {
    this.#publishToPeers<FollowersMessage>({ kind: 'followers', sessionId, followers });
  }
}

/** Stores the followers of a session, if there are any. @returns whether they changed */
function set(all: Map<SessionId, Following>, id: SessionId, followers: Following): boolean {
  if (followers.connections === 0) return all.delete(id);
  if (JSON.stringify(all.get(id)) === JSON.stringify(followers)) return false;
  all.set(id, followers);
  return true;
}

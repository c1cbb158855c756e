import type { SessionId } from '@parleyhq/core';
import type { Followers } from '../../runtime/tabs/node-message.ts';

/** Followers of sessions at other nodes, as those nodes report (OPS4). */
export class FollowersElsewhere {
  readonly #byNode = new Map<string, Map<SessionId, Followers>>();

  /** Stores the followers that a node reports. @returns whether they changed */
  update(node: string, id: SessionId, followers: Followers): boolean {
    const known = this.#byNode.get(node) ?? new Map<SessionId, Followers>();
    if (JSON.stringify(known.get(id)) === JSON.stringify(followers)) return false;
    if (followers.connections > 0) this.#byNode.set(node, known.set(id, followers));
    else if (!known.delete(id)) return false;
    return true;
  }

  /** Forgets all nodes but these. @returns the sessions that were followed at forgotten nodes */
  keep(nodes: ReadonlySet<string>): SessionId[] {
    const gone = [...this.#byNode].filter(([node]) => !nodes.has(node));
    for (const [node] of gone) this.#byNode.delete(node);
    return gone.flatMap(([, sessions]) => [...sessions.keys()]);
  }

  /** Merges the followers here and elsewhere: each person once, and at most `mostNames` names. */
  add(id: SessionId, here: Followers, mostNames: number): Followers {
    let { connections } = here;
    const people = new Map(here.people.map((person) => [person.principal, person]));
    for (const sessions of this.#byNode.values()) {
      const there = sessions.get(id);
      connections += there?.connections ?? 0;
      for (const person of there?.people ?? []) people.set(person.principal, person);
    }
    return { connections, people: [...people.values()].slice(0, mostNames) };
  }
}

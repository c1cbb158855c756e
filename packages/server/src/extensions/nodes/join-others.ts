import { isRecord, type SharedStore, type StoreChange } from '@parleyhq/core';
import type { Extension, Node, SessionHub } from '@parleyhq/runtime';
import type { Logger } from 'pino';
import type { ProgramCalls } from '../programs/program-calls.ts';
import { Cluster } from './cluster.ts';
import type { CommonClock } from './common-clock.ts';
import { type Membership, makeSoleMembership } from './membership.ts';
import type { NodeLink } from './node-link.ts';

interface NodeParts {
  readonly extensions: readonly Extension[];
  readonly hub: SessionHub;
  readonly programCalls: ProgramCalls;
  readonly node: Node;
  readonly clock: CommonClock;
  readonly link: NodeLink | undefined;
  readonly log: Logger;
}

/**
 * Connects this node with the others on the same database.
 * @param shared - undefined if there can be no others
 */
export function joinOthers(
  shared: SharedStore | undefined,
  { extensions, hub, programCalls, node, clock, link, log }: NodeParts,
): Membership {
  if (!shared) return makeSoleMembership(() => hub.loaded());
  const replicated = extensions.flatMap((extension) => extension.replicated ?? []);
  const cluster: Cluster = new Cluster({
    shared,
    nodeId: node.id,
    clock,
    link: {
      open: async () => link?.open({ hub, extensions, look: () => cluster.look() }),
      greet: () => link?.greet(),
      reconcile: () => link?.reconcile(),
      leave: () => link?.leave(),
    },
    loaded: () => hub.loaded(),
    onStoreChange: async (change) => {
      for (const { storeChanges } of extensions) {
        const handle = storeChanges?.[change.what] as ((change: StoreChange) => Promise<void>) | undefined;
        await handle?.(change);
      }
    },
    takeOver: async (session) => {
      session.recover();
      await programCalls.withdrawLost([session]);
    },
    describe: () => Object.fromEntries(replicated.map(({ member, json }) => [member, json])),
    onNodes: (others, isLeader) => {
      for (const value of replicated) {
        const published = others.flatMap(({ id, details }) => {
          const theirs = isRecord(details) ? details[value.member] : undefined; // a node of another release may not publish it
          return theirs === undefined ? [] : [[id, theirs] as const];
        });
        value.update(new Map(published));
      }
      link?.meet(others.map(({ id }) => id));
      for (const { onNodes } of extensions) onNodes?.(link?.others ?? new Set(others.map(({ id }) => id)), isLeader);
    },
    log,
  });
  return cluster;
}

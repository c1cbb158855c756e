import type { Store, StoreChange } from '@parleyhq/core';
import type { Logger } from 'pino';
import type { QuotaService } from './auth/quota-service.ts';
import { Cluster } from './hub/cluster.ts';
import type { SessionHub } from './hub/hub.ts';
import type { NodeLink } from './hub/node-link.ts';
import type { Count, Presence } from './hub/presence.ts';
import type { CommonClock } from './node/common-clock.ts';
import type { Node } from './node/node.ts';
import type { SecretExchange } from './node/secret-exchange.ts';
import type { NotificationService } from './notifications/notification-service.ts';
import type { CallResults } from './outside/call-results.ts';
import type { OutsideCalls } from './outside/outside-calls.ts';
import type { Claims } from './tabs/claims.ts';
import type { GrantsFeed } from './tabs/grants-feed.ts';

/** What a node publishes about itself; a node of another release may leave members out. */
interface NodeDetails {
  /** The people connected to that node who could answer (INT14). */
  readonly counts: readonly Count[];
  /** Public key that seals secrets for that node. */
  readonly publicKey: string;
  /** Open connections by person (SEC11). */
  readonly connections: QuotaService['connections'];
  /** People who are looking at a page served by that node (NTF1). */
  readonly looking: readonly string[];
}

interface JoiningParts {
  readonly hub: SessionHub;
  readonly outside: OutsideCalls;
  readonly results: CallResults;
  readonly presence: Presence;
  readonly claims: Claims;
  readonly reaching: NotificationService;
  readonly quotas: QuotaService;
  readonly grantsFeed: GrantsFeed;
  readonly node: Node;
  readonly clock: CommonClock;
  readonly link: NodeLink | undefined;
  readonly sealing: SecretExchange;
  readonly log: Logger;
}

/** Connects this node with the others on the same database (OPS4). */
export function joinOthers(shared: NonNullable<Store['shared']>, parts: JoiningParts): Cluster {
  const { hub, outside, results, presence, claims, reaching, quotas, grantsFeed, node, clock, link, sealing, log } =
    parts;
  const hear = async (news: StoreChange) => {
    if (news.what === 'grants') grantsFeed.changed(news.sessionId);
    else if (news.what === 'devices') await reaching.reloadDevices();
    else await hub.onStoreChange(news);
  };
  const describe = (): NodeDetails => ({
    counts: presence.counts,
    publicKey: sealing.publicKey,
    connections: quotas.connections,
    looking: reaching.attention.people,
  });
  const cluster: Cluster = new Cluster({
    shared,
    nodeId: node.id,
    clock,
    link: {
      open: async () => link?.open({ hub, presence, claims, quotas, results, look: () => cluster.look() }),
      greet: () => link?.greet(),
      reconcile: () => link?.reconcile(),
    },
    live: () => hub.live(),
    onStoreChange: hear,
    takeOver: async (session) => {
      session.recover();
      await outside.withdrawLost([session]);
    },
    describe: () => JSON.parse(JSON.stringify(describe())),
    onNodes: (others, isFirst) => {
      const known = others.map(({ id, details }) => ({ id, ...(details as unknown as Partial<NodeDetails>) }));
      presence.updateElsewhere(known.flatMap(({ counts = [] }) => counts));
      quotas.updateConnectionsElsewhere(known.flatMap(({ connections = [] }) => connections));
      reaching.attention.updateElsewhere(known.flatMap(({ looking = [] }) => looking));
      const keys = known.flatMap(({ id, publicKey }) => (publicKey === undefined ? [] : [[id, publicKey] as const]));
      sealing.meet(new Map(keys));
      reaching.takeTurns(isFirst);
      link?.meet(others.map(({ id }) => id));
    },
    log,
  });
  return cluster;
}

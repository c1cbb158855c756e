import { limits, type Principal, protocolVersion, type ServerFrameOf, type SessionKind } from '@parleyhq/core';
import type { Node } from '@parleyhq/runtime';
import type { Services } from './services.ts';

/** Number of newest sessions in the welcome, and of pinned ones. */
const welcomeSessions = 100;

export interface WelcomeOptions {
  readonly services: Pick<Services, 'hub' | 'agents' | 'inbox' | 'quotas'>;
  readonly node: Pick<Node, 'now'>;
  readonly about: { readonly epoch: string; readonly version: string; readonly framesPerSecond: number };
}

/** Makes the first frame that a client receives (contract §3). */
export async function makeWelcome(
  { services: { hub, agents, inbox, quotas }, node, about }: WelcomeOptions,
  principal: Principal,
  connectionId: string,
): Promise<() => ServerFrameOf<'welcome'>> {
  const list = (only: SessionKind) => hub.list(principal, { only, limit: welcomeSessions });
  const [newest, pinned, openPage] = await Promise.all([list('current'), list('pinned'), inbox.preparePage(principal)]);
  const known = new Set(newest.map(({ id }) => id));
  const sessions = [...newest, ...pinned.filter(({ id }) => !known.has(id))];
  return () => ({
    type: 'welcome',
    protocol: protocolVersion,
    connectionId,
    epoch: about.epoch,
    now: new Date(node.now()).toISOString(),
    server: { name: 'parley', version: about.version },
    principal: { ...principal },
    agents: agents.list().map(({ name, description }) => {
      const examples = agents.examplesOf(name);
      return { name, ...(description !== undefined && { description }), ...(examples && { examples }) };
    }),
    sessions: sessions.map((session) => inbox.rowFor(principal, session)),
    open: openPage(),
    openTotal: inbox.count(principal),
    limits: { ...limits, framesPerSecond: about.framesPerSecond, ...quotas.limitsOf(principal) },
  });
}

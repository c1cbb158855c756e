import type { Facts, Matches, RefusalError, Store } from '@parleyhq/core';
import type { Logger } from 'pino';
import type { PublishToPeers } from '../node/peers.ts';
import type { SecretExchange } from '../node/secret-exchange.ts';
import type { Subscriptions } from '../tabs/subscriptions.ts';
import type { Follower } from './change.ts';

/** What a session needs from the server. */
export interface SessionPorts {
  readonly store: Pick<Store, 'epoch' | 'events' | 'index' | 'heads' | 'shared'>;
  /** Returns the facts for a decision in a session of this agent; `matches` if somebody is charged for pattern matching. */
  readonly facts: (agent: string, matches?: Matches) => Facts;
  readonly publishing: {
    readonly publish: Follower;
    /** Reports that a command was refused. */
    refused(refusal: RefusalError): void;
    readonly subscriptions: Subscriptions;
    readonly publishToPeers: PublishToPeers;
  };
  /** Returns the plugin of a tool, whose name its grants carry; undefined if it has none. */
  readonly pluginOf: (toolName: string, agent: string | undefined) => string | undefined;
  readonly secretExchange: SecretExchange;
  /** How long after its token was last entered a log-in may perform the riskiest actions, in ms (SEC9). */
  readonly freshLoginMs: number;
  readonly log: Logger;
}

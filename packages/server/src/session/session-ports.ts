import type { Facts, Matches, RefusalError, Store } from '@parleyhq/core';
import type { Logger } from 'pino';
import type { TellNodes } from '../tabs/node-message.ts';
import type { Subscriptions } from '../tabs/subscriptions.ts';
import type { Follower } from './change.ts';

/** What a session needs of the server. */
export interface SessionPorts {
  readonly store: Pick<Store, 'epoch' | 'events' | 'index' | 'heads' | 'shared'>;
  /** What the law is told beside the command, in a session of this agent; `matches` where somebody pays for it. */
  readonly facts: (agent: string, matches?: Matches) => Facts;
  readonly news: {
    readonly publish: Follower;
    /** The law refused a command. */
    refused(refusal: RefusalError): void;
    readonly subscriptions: Subscriptions;
    /** Only where there may be other nodes (OPS4). */
    readonly tellNodes: TellNodes | undefined;
  };
  /** How long a log-in may do the riskiest acts (SEC9). */
  readonly freshLoginMs: number;
  readonly log: Logger;
}

import type { Epoch } from '../basics/id.ts';
import type { AuditStore } from './audit-store.ts';
import type { Bus } from './bus.ts';
import type { DeliveryStore, DeviceStore } from './delivery-store.ts';
import type { EventIndex, EventStore } from './event-store.ts';
import type { GrantStore } from './grant-store.ts';
import type { LinkStore } from './link-store.ts';
import type { OutsideStore } from './outside-store.ts';
import type { PasskeyStore } from './passkey-store.ts';
import type { PluginStateStore } from './plugin-state-store.ts';
import type { HeadCache, SessionStore } from './session-store.ts';
import type { SharedStore } from './shared-store.ts';
import type { StatisticsStore } from './statistics-store.ts';
import type { LoginCodeStore, LoginStore, TokenStore } from './token-store.ts';

/** Everything that one database provides. */
export interface Store {
  readonly epoch: Epoch;
  /**
   * Whether the database is older than what clients have seen, after a restore or damage. Its epoch is new, and clients start
   * over (RPL2).
   */
  readonly isRewound: boolean;
  readonly events: EventStore;
  readonly sessions: SessionStore;
  readonly heads: HeadCache;
  readonly index: EventIndex;
  readonly grants: GrantStore;
  readonly pluginState: PluginStateStore;
  readonly logins: LoginStore;
  readonly tokens: TokenStore;
  readonly links: LinkStore;
  readonly passkeys: PasskeyStore;
  readonly audit: AuditStore;
  readonly outside: OutsideStore;
  readonly devices: DeviceStore;
  readonly deliveries: DeliveryStore;
  readonly statistics: StatisticsStore;
  /** Present only if several nodes may use the database at the same time. */
  readonly shared?: SharedStore;
  /** Log-in codes of those nodes; absent without `shared`. */
  readonly loginCodes?: LoginCodeStore;
  /** Messages between those nodes; absent without `shared`. */
  readonly bus?: Bus;
  /** Finishes queued writes, then closes the database; later writes are refused. Closing twice is harmless. */
  close(): Promise<void>;
}

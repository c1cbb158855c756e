import { randomUUID } from 'node:crypto';
import type { Authority, GrantNote, Json, SessionId, Store } from '@parleyhq/core';
import { CommitQueue } from './commit-queue.ts';
import { MemoryAudit } from './memory/audit.ts';
import { MemoryLog, MemorySessions, type StoredSessions } from './memory/log.ts';
import { MemoryOutside } from './memory/outside.ts';
import { MemoryDeliveries, MemoryDevices } from './memory/reach.ts';
import { MemoryLogins, MemoryTokens } from './memory/tokens-and-logins.ts';
import { MemoryGrants, MemoryPluginState } from './memory/values.ts';

/** A store for tests and trials. It keeps the whole contract except durability: it ends with its process. */
export class MemoryStore implements Store {
  readonly epoch = randomUUID();
  readonly isRewound = false;
  readonly events: MemoryLog;
  readonly sessions: MemorySessions;
  readonly heads: MemorySessions;
  readonly index: MemoryLog;
  readonly grants: MemoryGrants;
  readonly pluginState: MemoryPluginState;
  readonly logins: MemoryLogins;
  readonly tokens: MemoryTokens;
  readonly audit = new MemoryAudit();
  readonly outside: MemoryOutside;
  readonly devices: MemoryDevices;
  readonly deliveries: MemoryDeliveries;
  readonly #queue = new CommitQueue((writeAll) => writeAll());

  constructor() {
    const entries: StoredSessions = new Map();
    const queue = this.#queue;
    this.outside = new MemoryOutside(entries);
    const { audit } = this;
    const standingOf = (authority: Authority) =>
      this.tokens.standingOf(authority) === 'ended' ? 'ended' : this.logins.standingOf(authority);
    const record = (note: GrantNote, value: Json) => this.events.note(note, value);
    const requireOpen = (note: GrantNote) => this.events.requireOpen(note);
    this.grants = new MemoryGrants(queue, { audit, record, requireOpen, standingOf });
    this.pluginState = new MemoryPluginState(queue);
    this.logins = new MemoryLogins(queue, audit, standingOf);
    this.tokens = new MemoryTokens(queue, this.audit, ({ id, keepGrants }) => {
      this.logins.dropToken(id);
      if (!keepGrants) this.grants.dropGiver(id);
    });
    this.events = new MemoryLog(entries, queue, {
      grants: this.grants,
      audit,
      outside: this.outside,
      standingOf,
      hasToken: (id) => this.tokens.has(id),
    });
    this.index = this.events;
    const onRemove = (sessionId: SessionId) => {
      this.grants.dropSession(sessionId);
      this.pluginState.dropSession(sessionId);
      this.outside.dropSession(sessionId);
      this.deliveries.dropSession(sessionId);
    };
    this.sessions = new MemorySessions(entries, queue, { audit, standingOf, onRemove });
    this.heads = this.sessions;
    this.devices = new MemoryDevices(queue, standingOf);
    this.deliveries = new MemoryDeliveries(queue, entries);
  }

  close(): Promise<void> {
    return this.#queue.close();
  }
}

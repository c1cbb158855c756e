import { randomUUID } from 'node:crypto';
import type { Authority, Store } from '@parleyhq/core';
import { CommitQueue } from './commit-queue.ts';
import { MemoryAudit } from './memory/audit.ts';
import { MemoryLog, MemorySessions, type StoredSessions } from './memory/log.ts';
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

  constructor() {
    const entries: StoredSessions = new Map();
    const queue = new CommitQueue((writeAll) => writeAll());
    this.grants = new MemoryGrants(queue, this.audit, (note, value) => this.events.note(note, value));
    this.pluginState = new MemoryPluginState(queue);
    this.logins = new MemoryLogins(queue, this.audit);
    this.tokens = new MemoryTokens(queue, this.audit, ({ id, keepGrants }) => {
      this.logins.dropToken(id);
      if (!keepGrants) this.grants.dropGiver(id);
    });
    const isValid = (authority: Authority) => this.tokens.isValid(authority) && this.logins.isValid(authority);
    this.events = new MemoryLog(entries, queue, { grants: this.grants, audit: this.audit, isValid });
    this.index = this.events;
    this.sessions = new MemorySessions(entries, queue, this.audit, (sessionId) => {
      this.grants.dropSession(sessionId);
      this.pluginState.dropSession(sessionId);
    });
    this.heads = this.sessions;
  }
}

import { randomUUID } from 'node:crypto';
import type { Store } from '@parleyhq/core';
import { CommitQueue } from './commit-queue.ts';
import { MemoryAudit } from './memory/audit.ts';
import { type Entries, MemoryLog, MemorySessions } from './memory/log.ts';
import { MemoryGrants, MemoryLogins, MemoryPluginState, MemoryTokens } from './memory/values.ts';

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
    const entries: Entries = new Map();
    const queue = new CommitQueue((writeAll) => writeAll());
    this.grants = new MemoryGrants(queue, this.audit, (note, value) => this.events.note(note, value));
    this.events = new MemoryLog(entries, queue, { grants: this.grants, audit: this.audit });
    this.index = this.events;
    this.pluginState = new MemoryPluginState(queue);
    this.logins = new MemoryLogins(queue, this.audit);
    this.tokens = new MemoryTokens(queue, this.audit);
    this.sessions = new MemorySessions(entries, queue, this.audit, (sessionId) => {
      this.grants.dropSession(sessionId);
      this.pluginState.dropSession(sessionId);
    });
    this.heads = this.sessions;
  }
}

import type {
  Audience,
  Availability,
  ChatEvent,
  Instant,
  Limit,
  Matches,
  Session,
  SessionId,
  Store,
} from '@parleyhq/core';
import type { Logger } from 'pino';
import type { Secrets } from './log/secrets.ts';
import type { AgentRegistry } from './tools/agent-registry.ts';
import type { Policy } from './tools/policy.ts';
import type { ToolRegistry } from './tools/tool-registry.ts';

/** Durations that the config may set; all in milliseconds. */
export interface Durations {
  /** How long a prompt stays open unless its request says otherwise (contract §5). */
  readonly interactionTimeoutMs: number;
  /** How long a pending prompt stays answerable (INT9). */
  readonly pendingTtlMs: number;
  /** A tool's own time, waiting for people not counted, and a hook's (INT12, PLG4). */
  readonly toolTimeoutMs: number;
  /** How long a late answer's hook may think (INT9). */
  readonly lateHookMs: number;
  /** After a start no prompt ends sooner than this: its people come back first (INT10). */
  readonly restartGraceMs: number;
  /** Between two pings; two without a pong end a connection (FRM4). */
  readonly heartbeatMs: number;
}

export const defaultDurations: Durations = {
  interactionTimeoutMs: 5 * 60_000,
  pendingTtlMs: 7 * 24 * 3_600_000,
  toolTimeoutMs: 10 * 60_000,
  lateHookMs: 10_000,
  restartGraceMs: 30_000,
  heartbeatMs: 15_000,
};

/** What sessions, turns and calls need of the server around them. */
export interface Runtime {
  readonly store: Store;
  /** This process, as `owner` of the turns it runs. */
  readonly nodeId: string;
  readonly log: Logger;
  /** Of all calls: what the log must not say (SEC8). */
  readonly secrets: Secrets;
  readonly durations: Durations;
  readonly tools: ToolRegistry;
  readonly policies: readonly Policy[];
  readonly agents: AgentRegistry;
  /** Live: who could answer right now in a session, or one of its prompts (INT14). */
  availability(sessionId: SessionId, audience?: Audience): Availability;
  readonly matches: Matches;
  /** When this process began to serve, by the clock that nobody can set (`performance.now`). */
  readonly startedAt: number;
  now(): Instant;
  newId(): string;
  hash(text: string): string;
  /** Every stored event, before any tab hears of it. */
  onEvent(event: ChatEvent): void;
  /** Something was refused for a limit (SEC6). */
  onLimit(limit: Limit): void;
  /** How long a change took from its decision to its commit. */
  onAppend(seconds: number): void;
  /** A grant was given, or a prompt taken up that one may cover: in one session, or in all (APR4). */
  onGrant(sessionId: SessionId | undefined): void;
  /** What is granted changed, or was used: for one session, or for all. */
  onGrantsChange(sessionId: SessionId | undefined): void;
  /** A session's row changed in what lists show. */
  onRowChange(row: Session): void;
}

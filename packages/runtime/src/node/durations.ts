/** Durations that the config may set; all in milliseconds. */
export interface Durations {
  /** How long a prompt stays open unless its request says otherwise (contract §5). */
  readonly interactionTimeoutMs: number;
  /** The same if somebody who may answer can be notified without a page (NTF1). */
  readonly unwatchedTimeoutMs: number;
  /** How long somebody must not have looked at a page before a notification is sent (NTF1). */
  readonly notifyAfterMs: number;
  /** How long one attempt to send a notification may take (NTF3). */
  readonly tellMs: number;
  /** How long a pending prompt stays answerable (INT9). */
  readonly pendingTtlMs: number;
  /** How long a tool may run, not counting its waits for people; also the limit of a hook (INT12, PLG4). */
  readonly toolTimeoutMs: number;
  /** How long a plugin may take to load, and how long its `setup` may take (PLG1). */
  readonly setupTimeoutMs: number;
  /** How long a plugin's `onToolCall` may take to decide about a call (APR3). */
  readonly gateMs: number;
  /** How long a reviewer may take, unless the policy says otherwise (LESS3). */
  readonly reviewMs: number;
  /** How long the hook of a late answer may take (INT9). */
  readonly lateHookMs: number;
  /** Minimum time that a prompt stays open after a start, so that people can return first (INT10). */
  readonly restartGraceMs: number;
  /** How long a session must be quiet before its waiting calls leave memory, if their tools hibernate (DUR10). */
  readonly hibernateAfterMs: number;
  /** How long nobody must have used a session before it leaves memory. */
  readonly sessionIdleMs: number;
  /**
   * How long the process must run for its start to count as steady; after two unsteady starts in a row, calls are entered one at
   * a time (DUR6).
   */
  readonly steadyMs: number;
  /** Interval of pings; two without a pong close a connection (FRM4). */
  readonly heartbeatMs: number;
  /** How long a reader may leave more than 1 MiB unread (FRM5). */
  readonly slowReaderMs: number;
  /** How long a call over MCP waits before it replies that the caller should ask again (ASK6). */
  readonly mcpWaitMs: number;
  /** Interval of progress messages of such a call, because clients give up on silence (ASK6). */
  readonly mcpProgressMs: number;
  /** How long after presenting its token a login may take the riskiest actions (SEC9); 0: always. */
  readonly freshLoginMs: number;
  /** How long running handlers may take to finish when the server stops (OPS3). */
  readonly stopMs: number;
}

export const defaultDurations: Durations = {
  interactionTimeoutMs: 5 * 60_000,
  unwatchedTimeoutMs: 24 * 3_600_000,
  notifyAfterMs: 10_000,
  tellMs: 20_000,
  pendingTtlMs: 7 * 24 * 3_600_000,
  toolTimeoutMs: 10 * 60_000,
  setupTimeoutMs: 30_000,
  gateMs: 10_000,
  reviewMs: 20_000,
  lateHookMs: 10_000,
  restartGraceMs: 30_000,
  hibernateAfterMs: 60_000,
  sessionIdleMs: 30_000,
  steadyMs: 10_000,
  heartbeatMs: 15_000,
  slowReaderMs: 1000,
  mcpWaitMs: 4 * 60_000,
  mcpProgressMs: 15_000,
  freshLoginMs: 3_600_000,
  stopMs: 8000,
};

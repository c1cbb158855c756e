/** Durations that the config may set; all in milliseconds. */
export interface Durations {
  /** How long a prompt stays open unless its request says otherwise (contract §5). */
  readonly interactionTimeoutMs: number;
  /** The same where somebody who may answer can be reached without a page (NTF1). */
  readonly unwatchedTimeoutMs: number;
  /** How long somebody must have looked at no page before they are told what waits for them (NTF1). */
  readonly notifyAfterMs: number;
  /** How long one attempt to tell somebody may take (NTF3). */
  readonly tellMs: number;
  /** How long a pending prompt stays answerable (INT9). */
  readonly pendingTtlMs: number;
  /** A tool's own time, waiting for people not counted, and a hook's (INT12, PLG4). */
  readonly toolTimeoutMs: number;
  /** How long a plugin may take to load, and its `setup` (PLG1). */
  readonly setupTimeoutMs: number;
  /** How long a plugin's `onToolCall` may take to decide about a call (APR3). */
  readonly gateMs: number;
  /** How long the hook of a late answer may take (INT9). */
  readonly lateHookMs: number;
  /** After a start no prompt ends sooner than this, so that people can come back first (INT10). */
  readonly restartGraceMs: number;
  /** How long a start must live to count as one that did; after two in a row that did not, calls are entered one at a time (DUR6). */
  readonly steadyMs: number;
  /** Between two pings; two without a pong end a connection (FRM4). */
  readonly heartbeatMs: number;
  /** How long a reader may leave more than 1 MiB unread (FRM5). */
  readonly slowReaderMs: number;
  /** How long a call over MCP waits before its caller is told to ask again (ASK6). */
  readonly mcpWaitMs: number;
  /** Between two signs that such a call still waits: its caller gives up on silence (ASK6). */
  readonly mcpProgressMs: number;
  /** How long after it showed its token a log-in may do the riskiest acts (SEC9); 0: always. */
  readonly freshLoginMs: number;
  /** How long running handlers get when the server stops (OPS3). */
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
  lateHookMs: 10_000,
  restartGraceMs: 30_000,
  steadyMs: 10_000,
  heartbeatMs: 15_000,
  slowReaderMs: 1000,
  mcpWaitMs: 4 * 60_000,
  mcpProgressMs: 15_000,
  freshLoginMs: 3_600_000,
  stopMs: 8000,
};

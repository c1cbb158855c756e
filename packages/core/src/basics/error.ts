/**
 * Errors that cross the wire: a code, and a sentence for the person who reads it. The order of the answer refusals is INT5's.
 */
export const wireErrors = {
  not_found: 'There is no such thing here, or you may not see it.',
  forbidden: 'Your role does not allow this.',
  interaction_disabled: 'Interactive mode is off for this client: enable it to respond.',
  idempotency_conflict: 'This answerId was used before with another content.',
  already_answered: 'Somebody else answered first.',
  stale: 'This prompt was replaced by a newer one.',
  retry_later: 'This is being decided right now: send it again in a moment.',
  closed: 'This prompt is closed.',
  invalid: 'Some values do not fit the form.',
  step_up_required: 'This answer needs your passkey: give it on the page of Parley.',
  bad_frame: 'This frame is not part of the protocol.',
  unsupported_protocol: 'This protocol version is not spoken here.',
  unauthorised: 'A valid token is needed.',
  login_again: 'This log-in is too old for this: show your token again.',
  already_greeted: 'This connection has said hello already.',
  not_supported: 'This session belongs to a program outside: talk to it there.',
  no_turn: 'No turn is running.',
  queue_full: 'Too many messages wait already: take one back or wait.',
  too_many_prompts: 'Too many prompts are open in this session.',
  unknown_agent: 'This server has no such agent.',
  rate_limited: 'Too many frames: slow down.',
  storage_full: 'The disk is full: nothing new can be stored until there is space.',
  storage_busy: 'The database is locked by another process: try again.',
  storage_failed: 'The database could not store or read this.',
  internal: 'Something broke in the server; its log says more.',
} as const satisfies Record<string, string>;

export type WireErrorCode = keyof typeof wireErrors;

/** An error in `reply` and `error` frames. */
export interface WireError {
  readonly code: WireErrorCode;
  readonly message: string;
  readonly details?: unknown;
}

/** A refused command. The connection stays open; `code` says what to do (FRM1, INT5). */
export class RefusalError extends Error {
  override readonly name = 'RefusalError';
  readonly code: WireErrorCode;
  readonly details: unknown;

  constructor(code: WireErrorCode, options: { message?: string; details?: unknown; cause?: unknown } = {}) {
    super(options.message ?? wireErrors[code], { cause: options.cause });
    this.code = code;
    this.details = options.details;
  }

  toWire(): WireError {
    return { code: this.code, message: this.message, ...(this.details !== undefined && { details: this.details }) };
  }
}

/** Message of `interaction_unavailable`, for the caller and for the tool's author. */
export function nobodyWords(isHighRisk: boolean): string {
  const own = isHighRisk ? ' Whoever asked for a call of high risk may approve it only as an operator.' : '';
  return `Nobody who may answer is connected: open a page of Parley, or run "parley inbox --wait", and call again.${own} A tool that may wait for somebody asks with onUnavailable: 'wait'.`;
}

/** Codes of tool errors that Parley itself raises and the model may see (PLG6). Plugins may add their own. */
export const toolErrorCodes = [
  'denied',
  'timeout',
  'cancelled',
  'interaction_unavailable',
  'not_supported',
  'invalid_args',
  'unknown_tool',
  'invalid_result',
  'tool_error',
  'handler_error',
  'handler_timeout',
  'invalid_outcome',
  'reprompt_limit',
  'tool_timeout',
  'interrupted',
  'orphaned',
  'call_closed',
  'withdrawn',
  'secret_refused',
  'file_gone',
] as const;

export type ToolErrorCode = (typeof toolErrorCodes)[number];

/** A tool error with a code, thrown by handlers and read by the model. Any thrown object with a string `code` counts. */
export class ToolError extends Error {
  /** Also true of an error from another copy of this module: a bundled server has one copy and its plugins have another. */
  static override [Symbol.hasInstance](value: unknown): boolean {
    // biome-ignore-start lint/complexity/noThisInStatic: subclasses inherit this, and are only what their prototype says
    if (Function.prototype[Symbol.hasInstance].call(this, value)) return true;
    return this === ToolError && value instanceof Error && value.name === 'ToolError' && 'code' in value;
    // biome-ignore-end lint/complexity/noThisInStatic: the end
  }

  override readonly name = 'ToolError';
  readonly code: string;

  constructor(code: ToolErrorCode | (string & {}), message: string, options?: { cause?: unknown }) {
    super(message, options);
    this.code = code;
  }
}

/** Limits in characters: people and models read a tool's error, and the log keeps it forever (SEC6). */
const maxCodeLength = 100;
const maxMessageLength = 8000;

/**
 * Turns whatever a handler threw into the error of a `tool_result`, truncated if too long. Never throws: what was thrown may
 * have getters that do, or be a proxy (PLG6).
 */
export function toToolError(
  thrown: unknown,
  fallback: ToolErrorCode = 'tool_error',
): { code: string; message: string } {
  try {
    const message = describeThrown(thrown);
    if (typeof thrown === 'object' && thrown !== null && 'code' in thrown) {
      const { code } = thrown;
      if (typeof code === 'string') return { code: code.slice(0, maxCodeLength), message };
    }
    return { code: fallback, message };
  } catch {
    return { code: fallback, message: unsaid };
  }
}

const unsaid = 'The tool failed.';

function describeThrown(thrown: unknown): string {
  const said = typeof thrown === 'object' && thrown !== null && 'message' in thrown ? thrown.message : thrown;
  if (typeof said !== 'string') return unsaid;
  return said.length > maxMessageLength ? `${said.slice(0, maxMessageLength)} …` : said;
}

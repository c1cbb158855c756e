/** Fields of a form. Kept out of `limits`, because a bundler cannot drop an unused schema that reads a property of an object. */
export const maxFields = 200;

/** Characters of an answer's reason, and of a session's title. */
export const maxReasonLength = 10_000;
export const maxTitleLength = 200;

/** Size of one file in bytes: the upper bound for every field, and the default of a field that sets no limit (PLG13). */
export const maxFileBytes = 100 * 1024 * 1024;
export const defaultFileBytes = 10 * 1024 * 1024;

/** Number of approvals after which a rule is suggested, unless the settings say otherwise (LESS2). */
export const defaultSuggestAfter = 5;

/** Files that one field may hold. */
export const maxFieldFiles = 50;

/** Everything that can grow has a limit (SEC6). `welcome` sends them to clients; metrics and refusals use these keys as names. */
export const limits = {
  /** Size of a frame, in bytes. */
  frameBytes: 256 * 1024,
  /** Bytes that a connection may send up to and including its `hello`. */
  helloBytes: 8 * 1024,
  /** Sockets that have not said hello; one address may hold half of them. */
  unadmittedSockets: 3000,
  /** Nesting of a frame's JSON. */
  jsonDepth: 32,
  /** Sustained rate of a connection; it may burst `burstSeconds` worth at once. */
  framesPerSecond: 50,
  /** Fields of a form. */
  fields: maxFields,
  /** Size of one answered value as UTF-8, in bytes. */
  valueBytes: 64 * 1024,
  /** CPU time of all regular expressions of one answer, in milliseconds. */
  patternMs: 50,
  /** The same for all answers of one person, per minute after the first. */
  patternMsPerMinute: 1000,
  /** Queued messages in a session. */
  queuedMessages: 100,
  /** Text of a session's queued messages, in bytes. */
  queuedBytes: 2 * 1024 * 1024,
  /** Calls in one message of an agent (AGT8). */
  messageCalls: 500,
  /** Open prompts in a session, including pending ones. */
  openPrompts: 100,
  /** Size of a prompt's request as JSON, in bytes, including what a person typed before a reprompt. */
  promptBytes: 512 * 1024,
  /** Size of the requests of a session's open prompts, in bytes. */
  openPromptBytes: 4 * 1024 * 1024,
  /** Comments of one prompt, and the size of each as UTF-8, in bytes (REV4). */
  comments: 200,
  commentBytes: 8 * 1024,
  /** Reprompts of one prompt (INT8). */
  reprompts: 20,
  /** Size of one file, in bytes. */
  fileBytes: maxFileBytes,
  /** Uploads of one person for one call, or for messages of a session that are not sent yet. */
  callUploads: 100,
  /** Size of a session's files, in bytes. */
  sessionFileBytes: 1024 * 1024 * 1024,
  /** Size of a tool result's JSON, in bytes. */
  resultBytes: 1024 * 1024,
} as const;

/** The name of a limit. */
export type Limit = keyof typeof limits;

/** A large frame counts several times against the rate: once for each started block of this size. */
const bytesPerCount = 128 * 1024;

/** Returns how many frames one of this size counts as against `framesPerSecond` (SEC11). */
export function countFrame(bytes: number): number {
  return Math.max(1, Math.ceil(bytes / bytesPerCount));
}

/** A connection may burst this many seconds' worth of frames. */
export const burstSeconds = 4;

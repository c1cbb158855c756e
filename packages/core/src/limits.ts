/** Fields of a form. A name of its own: the page's bundler keeps a schema that reads a property. */
export const maxFields = 200;

/** What may grow has a bound (SEC6). Clients are told in `welcome`; metrics and refusals name a limit by its key here. */
export const limits = {
  /** A frame, in bytes. */
  frameBytes: 256 * 1024,
  /** Levels of a frame's JSON. */
  jsonDepth: 32,
  /** What a connection may send, steadily; four times as much at once. */
  framesPerSecond: 50,
  /** Fields of a form. */
  fields: maxFields,
  /** The UTF-8 text of one answered value. */
  valueBytes: 64 * 1024,
  /** Processor time of a regular expression. */
  patternMs: 50,
  /** Messages that wait in a session. */
  queuedMessages: 100,
  /** Prompts that are open in a session, pending ones too. */
  openPrompts: 100,
  /** Reprompts of one prompt (INT8). */
  reprompts: 20,
  /** A tool result's JSON text. */
  resultBytes: 1024 * 1024,
} as const;

/** The name of a limit. */
export type Limit = keyof typeof limits;

/** So many frames at once for each that may come in a second. */
export const burstSeconds = 4;

/** What `parley doctor` can find wrong. docs/troubleshooting.md has a section for each, with this name as its heading. */
export const findingCodes = [
  'settings',
  'environment',
  'plugin-missing',
  'no-data',
  'data-exposed',
  'data-not-writable',
  'disk-full',
  'disk-low',
  'database',
  'database-older',
  'database-newer',
  'no-server',
  'another-server',
  'not-parley',
  'proxy-alone',
  'redirect',
  'certificate',
  'unencrypted',
  'address-refused',
  'not-ready',
  'no-page',
  'no-upgrade',
  'buffered',
  'clock',
  'only-this-computer',
  'token-unknown',
  'token-limited',
  'token-changes',
  'token-expired',
  'everybody',
  'program-token',
  'program-elsewhere',
  'program-settings',
  'mcp-server',
  'not-notified',
  'issuer',
  'nobody-may-answer',
  'presence-unknown',
  'nobody-connected',
  'not-open',
] as const;

export type FindingCode = (typeof findingCodes)[number];

/** One result of an examination. */
export interface Finding {
  /** What was examined, such as `Data directory`. */
  readonly subject: string;
  /** `fault`: something does not work. `note`: it works, and somebody may not expect how. */
  readonly level: 'ok' | 'note' | 'fault';
  /** Absent if all is well. */
  readonly code?: FindingCode;
  /** Full sentences: what is so, and what to do about it. Without secrets. */
  readonly words: string;
}

export function ok(subject: string, words: string): Finding {
  return { subject, level: 'ok', words };
}

export function note(subject: string, code: FindingCode, words: string): Finding {
  return { subject, level: 'note', code, words };
}

export function fault(subject: string, code: FindingCode, words: string): Finding {
  return { subject, level: 'fault', code, words };
}

/** Returns the words of whatever was thrown. */
export function wordsOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** What can be wrong: docs/troubleshooting.md has a section for each, with this name as its heading. */
export const topics = [
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
  'program-old',
  'mcp-server',
  'not-notified',
  'issuer',
  'nobody-may-answer',
  'passkey-missing',
  'passkey-address',
  'presence-unknown',
  'nobody-connected',
  'not-open',
] as const;

export type Topic = (typeof topics)[number];

/** Marks an error as one that a section of docs/troubleshooting.md explains. @returns the error */
export function explainedBy<Fault extends Error>(topic: Topic, error: Fault): Fault {
  return Object.assign(error, { topic });
}

/** Returns the section that explains an error, or what caused it. */
export function topicOf(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined;
  return 'topic' in error ? String(error.topic) : topicOf(error.cause);
}

/** The line that names a section of docs/troubleshooting.md. */
export function lineOf(topic: string | undefined): string {
  return topic === undefined ? '' : `        docs/troubleshooting.md#${topic}\n`;
}

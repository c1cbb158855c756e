import type { FindingCode } from '../doctor/finding.ts';

/** Marks an error as one that a section of docs/troubleshooting.md explains. @returns the error */
export function explainedBy<Fault extends Error>(topic: FindingCode, error: Fault): Fault {
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

import type { Topic } from '../io/topic.ts';

/** One result of an examination. */
export interface Finding {
  /** What was examined, such as `Data directory`. */
  readonly subject: string;
  /** `fault`: something does not work. `note`: it works, and somebody may not expect how. */
  readonly level: 'ok' | 'note' | 'fault';
  /** Absent if all is well. */
  readonly code?: Topic;
  /** Full sentences: what is so, and what to do about it. Without secrets. */
  readonly words: string;
}

export function ok(subject: string, words: string): Finding {
  return { subject, level: 'ok', words };
}

export function note(subject: string, code: Topic, words: string): Finding {
  return { subject, level: 'note', code, words };
}

export function fault(subject: string, code: Topic, words: string): Finding {
  return { subject, level: 'fault', code, words };
}

/** Returns the words of whatever was thrown. */
export function wordsOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

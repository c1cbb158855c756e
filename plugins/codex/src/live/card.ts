import type { Subject } from '@parleyhq/core';
import * as z from 'zod';

/**
 * What a choice means to Codex. `once` is what a plain yes answers, `session` and `always` last and are rules (APR7), `decline`
 * lets the turn go on without the call, `cancel` ends the turn.
 */
export const meanings = ['once', 'session', 'always', 'decline', 'cancel'] as const;

/** One of the answers that Codex takes. */
export interface Choice {
  /** Names it in what the server returns; only the attachment knows the answer itself. */
  readonly id: string;
  readonly means: (typeof meanings)[number];
  /** The exact words of what a choice that lasts will allow. One for the session without them covers exactly what is shown. */
  readonly label?: string | undefined;
}

/** An approval of Codex as people see it. */
export interface Card {
  readonly title: string;
  readonly subject: Subject;
  /** What else the request says, in paragraphs. */
  readonly details: readonly string[];
  readonly choices: readonly Choice[];
}

export const cardSchema = z.object({
  title: z.string().min(1).max(300),
  subject: z.object({ kind: z.enum(['text', 'command', 'json', 'diff']), text: z.string() }),
  details: z.array(z.string()),
  choices: z
    .array(
      z.object({
        id: z.string().min(1).max(20),
        means: z.enum(meanings),
        label: z.string().min(1).max(400).optional(),
      }),
    )
    .min(1)
    .max(50),
});

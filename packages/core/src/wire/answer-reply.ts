import type { Tally } from '../prompt/quorum.ts';

/** Reply to an answer: its seq and, for a vote that does not decide yet, the tally (TEAM3). */
export interface AnswerReply {
  readonly seq: number;
  readonly vote?: true;
  readonly votes?: Tally;
}

export { givenFile } from './given-file.ts';
export type { Human } from './human.ts';
export type { LogLine } from './log-line.ts';
export { Play, type PlayOptions, type PlayResult, playTool } from './play.ts';
export { Prompt, type PromptState } from './prompt.ts';
export {
  approve,
  type Consenting,
  cancel,
  comment,
  deny,
  type LineComments,
  type Reaction,
  type SaidBy,
  submit,
} from './reaction.ts';
export { ann, Stage, type StageOptions } from './stage.ts';

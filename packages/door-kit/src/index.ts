export { type Asked, Asker, type Place } from './asker.ts';
export { askChoice, countLeftOut } from './choice.ts';
export { nameChannel, OpenQuestions, requireAsking } from './open-questions.ts';

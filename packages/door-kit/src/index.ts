export { type Asked, Asker, type Place } from './asker.ts';
export { nameChannel, OpenQuestions } from './open-questions.ts';

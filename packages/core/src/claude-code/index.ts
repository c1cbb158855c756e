export { questionsSchema, toAnswers, toQuestionForm } from './questions.ts';
export { toDetails, toSubject } from './subject.ts';

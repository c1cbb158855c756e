export { questionsSchema, toAnswers, toQuestionForm } from './questions.ts';
export { toDetails, toSubject } from './subject.ts';
export { offerSuggestions, readChosen } from './suggestions.ts';
export { quoteDescription, titleOfQuestions, toTitle } from './title.ts';

export { filePathOf, hasFile, hasOnly, isReadableLabel } from './call-args.ts';
export { coversCall, type SuggestingOptions, suggestCallRules } from './call-rules.ts';
export { followersOf, isRoutine, readCommandPrefix } from './command-prefix.ts';
export { questionsSchema, toAnswers, toQuestionForm } from './questions.ts';
export { readSimpleWords } from './simple-words.ts';
export { toDetails, toSubject } from './subject.ts';
export { offerSuggestions, readChosen } from './suggestions.ts';
export { quoteDescription, titleOfQuestions, toTitle } from './title.ts';

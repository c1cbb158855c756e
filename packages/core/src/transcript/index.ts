export { renderHtml } from './html.ts';
export { renderMarkdown } from './markdown.ts';
export { makeTranscript, type Transcript } from './transcript.ts';

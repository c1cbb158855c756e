export { renderHtml } from './html.ts';
export { formatMoment } from './line.ts';
export { renderMarkdown } from './markdown.ts';
export { makeTranscript, type Transcript } from './transcript.ts';

/** What a search needs, loaded when somebody searches. */
export { markWords } from './find-words.ts';
export { RowSearch } from './row-search.ts';

import './search-bar.ts';

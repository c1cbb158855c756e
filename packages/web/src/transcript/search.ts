/** Modules that are loaded with the first search. */
export { markWords } from './find-words.ts';
export { RowSearch } from './row-search.ts';

import './search-bar.ts';

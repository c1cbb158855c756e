import { first } from './0001-first.ts';
import { history } from './0002-history.ts';
import { moreNews } from './0003-more-news.ts';

/** In order, and never changed once released. */
export const migrations: readonly string[] = [first, history, moreNews];

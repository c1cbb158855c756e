import { first } from './0001-first.ts';

/** In order, and never changed once released. */
export const migrations: readonly string[] = [first];

export type * from './public.ts';

/** Where a page keeps that the elements are being loaded. */
const loading = Symbol.for('parley.elements');

const page = globalThis as { [loading]?: Promise<unknown> };

// A page may load this library more than once, from several places: whoever is first registers the elements, for all.
page[loading] ??= import('./elements.ts');
await page[loading];

export type * from './public.ts';

/** Key of the global promise that resolves when the elements are registered. */
const loading = Symbol.for('parley.elements');

const page = globalThis as { [loading]?: Promise<unknown> };

// A page may load this library several times, from different places. The first copy registers the elements for all.
page[loading] ??= import('./elements.ts');
await page[loading];

import { expect, test } from 'vitest';
import { routes } from '../../test/support/routes.ts';
import { type HttpOptions, makeHttp } from './routes.ts';

test('[SEC3] the list of routes that hostile pages are tested against is complete', () => {
  const app = makeHttp({ assetsDir: import.meta.dirname, doors: [] } as unknown as HttpOptions);
  const built = app.routes.filter(({ method }) => method !== 'ALL').map(({ method, path }) => `${method} ${path}`);
  expect([...new Set(built)].sort()).toEqual(Object.keys(routes).sort());
});

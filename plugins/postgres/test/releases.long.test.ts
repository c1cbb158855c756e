import { expect, test } from 'vitest';
import { testPostgresStore } from './support/test-store.ts';

// set by scripts/vitest-setup.mjs
const older: Readonly<Record<string, string>> = JSON.parse(process.env.PARLEY_OLDER_POSTGRES || '{}');

test('[OPS4] the releases before the newest are installed', () => {
  expect(Object.keys(older)).toEqual(['13', '14', '15', '16', '17']);
});

for (const [release, native] of Object.entries(older)) testPostgresStore(`PostgreSQL ${release}`, native);

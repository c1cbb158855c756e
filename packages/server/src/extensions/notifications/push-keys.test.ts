import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openPushKeys } from './push-keys.ts';

test('[NTF2] keys are kept, also from a file that uses the old name of the sealing key', () => {
  const folder = mkdtempSync(join(tmpdir(), 'parley-test-'));
  const keys = openPushKeys(folder);
  expect(openPushKeys(folder)).toEqual(keys);
  const { sealKey, ...pair } = keys;
  writeFileSync(join(folder, 'push-keys.json'), JSON.stringify({ ...pair, buttonKey: sealKey }));
  expect(openPushKeys(folder)).toEqual(keys);
});

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { fileSubject, Trust } from './trust.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'parley-trust-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

test('[SEC10] a person is asked until they say yes, and then no more', async () => {
  const path = join(folder, 'parley.config.mjs');
  writeFileSync(path, 'export default {}');
  const asked: string[] = [];
  let answer = false;
  const ask = async (text: string) => {
    asked.push(text);
    return answer;
  };
  const require = () =>
    new Trust({ env: { XDG_CONFIG_HOME: join(folder, 'home') }, isGiven: false, ask }).require([
      fileSubject(path, 'a config file\u001b[2J that is a program'),
    ]);
  await expect(require()).rejects.toThrow(path);
  answer = true;
  await require();
  await require();
  expect(asked).toHaveLength(2);
  expect(asked[0]).toContain(path);
  expect(asked[0]).not.toContain('\u001b');
});

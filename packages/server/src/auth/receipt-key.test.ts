import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { openReceiptKey, publicKeyOf } from './receipt-key.ts';

async function makeFolder(): Promise<{ folder: string; file: string }> {
  const folder = await mkdtemp(join(tmpdir(), 'parley-test-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  return { folder, file: join(folder, 'receipt-key.pem') };
}

test('[SIGN3] a key is made once', async () => {
  const { folder, file } = await makeFolder();
  const key = publicKeyOf(openReceiptKey(folder));
  const text = await readFile(file, 'utf8');
  expect(publicKeyOf(openReceiptKey(folder))).toBe(key);
  expect(await readFile(file, 'utf8')).toBe(text);
});

test('[SIGN3] only a key that was read is called broken: one that cannot be read may be good', async () => {
  const unreadable = await makeFolder();
  await mkdir(unreadable.file);
  expect(() => openReceiptKey(unreadable.folder)).toThrow(`${unreadable.file} cannot be read`);
  const broken = await makeFolder();
  await writeFile(broken.file, 'x');
  expect(() => openReceiptKey(broken.folder)).toThrow('restore it, or remove it');
});

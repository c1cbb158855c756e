import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { describe, expect, onTestFinished, test } from 'vitest';
import { findChromium } from './chromium.mjs';
import { checkNode } from './ensure.mjs';

function makeFolder() {
  const folder = mkdtempSync(join(tmpdir(), 'parley-ensure-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return folder;
}

function makeFile(...path) {
  const file = join(...path);
  mkdirSync(join(file, '..'), { recursive: true });
  writeFileSync(file, '');
  return file;
}

test.each(['18.20.4', '20.18.3', '8.0.0'])('Node %s is refused with a message', (version) => {
  expect(() => checkNode(version)).toThrow(`Parley needs Node 20.19 or newer; this is Node ${version}.`);
});

test.each(['20.19.0', '20.20.2', '21.0.0', '26.1.0'])('Node %s is accepted', (version) => {
  expect(() => checkNode(version)).not.toThrow();
});

describe('the browser for tests', () => {
  test('is $CHROMIUM, and no other if that file is missing', () => {
    expect(findChromium({ CHROMIUM: process.execPath })).toBe(process.execPath);
    expect(findChromium({ CHROMIUM: '/nowhere/chromium', PATH: process.env.PATH })).toBeUndefined();
  });

  test('is found on the PATH', () => {
    const folder = makeFolder();
    const chrome = makeFile(folder, 'google-chrome');
    expect(findChromium({ PATH: folder }, folder, [])).toBe(chrome);
  });

  test('is the newest that Playwright installed', () => {
    const home = makeFolder();
    const [, newest] = [999, 1200].map((build) =>
      makeFile(home, `.cache/ms-playwright/chromium-${build}/chrome-linux/chrome`),
    );
    expect(findChromium({}, home, [])).toBe(newest);
  });
});

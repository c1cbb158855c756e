import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { describe, expect, onTestFinished, test } from 'vitest';
import { findChromium, findHeadlessShell } from './chromium.mjs';
import { checkNode, ensureBuild } from './ensure.mjs';
import { findFirefox } from './firefox.mjs';

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

  test('is a headless shell if one is installed', () => {
    const folder = makeFolder();
    expect(findHeadlessShell({ PATH: folder }, [])).toBeUndefined();
    const shell = makeFile(folder, 'chromium-headless-shell');
    expect(findHeadlessShell({ PATH: folder }, [])).toBe(shell);
    expect(findHeadlessShell({ CHROMIUM_SHELL: '/nowhere/shell', PATH: folder }, [])).toBeUndefined();
  });

  test('is $FIREFOX for the tests with Firefox, or found on the PATH', () => {
    const folder = makeFolder();
    const firefox = makeFile(folder, 'firefox-esr');
    expect(findFirefox({ FIREFOX: firefox })).toBe(firefox);
    expect(findFirefox({ FIREFOX: '/nowhere/firefox', PATH: folder }, [])).toBeUndefined();
    expect(findFirefox({ PATH: folder }, [])).toBe(firefox);
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

describe('the build', () => {
  /** Makes a checkout with one source and one build, which counts its runs in its output. */
  function makeCheckout() {
    const root = makeFolder();
    const source = makeFile(root, 'src/a.txt');
    const output = join(root, 'out.txt');
    const script = makeFile(root, 'build.mjs');
    writeFileSync(
      script,
      `import { appendFileSync, readFileSync } from 'node:fs';
       if (readFileSync('src/a.txt', 'utf8') === 'wrong') throw new Error('line 7 is wrong');
       appendFileSync('out.txt', 'built ');`,
    );
    const builds = [{ name: 'a', label: 'Building', inputs: ['src'], outputs: ['out.txt'], command: ['build.mjs'] }];
    const build = async () => {
      await ensureBuild(root, builds);
      return readFileSync(output, 'utf8').trim().split(' ').length;
    };
    return { source, output, build };
  }

  test('runs once for the same sources, and again for changed ones', async () => {
    const { source, build } = makeCheckout();
    expect([await build(), await build()]).toEqual([1, 1]);
    writeFileSync(source, 'changed');
    expect([await build(), await build()]).toEqual([2, 2]);
    makeFile(source, '../b.txt');
    expect(await build()).toBe(3);
  });

  test('runs after the one that it needs, and not if that one failed', async () => {
    const root = makeFolder();
    const make = (name, text, after) => {
      writeFileSync(makeFile(root, `${name}-build/run.mjs`), `import fs from 'node:fs'; ${text}`);
      return {
        name,
        after,
        label: name,
        inputs: [`${name}-build`],
        outputs: [name],
        command: [`${name}-build/run.mjs`],
      };
    };
    const wait = "setTimeout(() => fs.writeFileSync('first', 'all of it'), 200)";
    const copy = make('second', "fs.copyFileSync('first', 'second')", 'first');
    await ensureBuild(root, [make('first', wait), copy]);
    expect(readFileSync(join(root, 'second'), 'utf8')).toBe('all of it');
    rmSync(join(root, 'second'));
    await expect(ensureBuild(root, [make('first', "throw new Error('wrong')"), copy])).rejects.toThrow(/first failed/);
    expect(existsSync(join(root, 'second'))).toBe(false);
  });

  test('runs again if its output was deleted', async () => {
    const { output, build } = makeCheckout();
    await build();
    rmSync(output);
    expect(await build()).toBe(1);
  });

  test('reports why it failed, and runs again', async () => {
    const { source, build } = makeCheckout();
    await build();
    writeFileSync(source, 'wrong');
    for (const _ of [1, 2]) await expect(build()).rejects.toThrow(/Building failed[\s\S]*line 7 is wrong/);
    writeFileSync(source, '');
    expect(await build()).toBe(2);
  });
});

import { expect, test } from 'vitest';
import { findFiles, findPairs, readDiff } from './diff-lines.ts';

const text =
  '--- a\n+++ b\n@@ -3,3 +3,4 @@ fn\n same\n-old\n+new\n+more\n end\n\\ No newline at end of file\n@@ -9 +10 @@\n-x\n+y';

test('[WEB2] the lines of a diff have their line numbers in both texts, and stay as they are', () => {
  const lines = readDiff(text);
  expect(lines.map((line) => line.text).join('\n')).toBe(text);
  expect(lines.map(({ kind, before = '', after = '' }) => `${kind} ${before} ${after}`.trim())).toEqual([
    'head',
    'head',
    'hunk',
    'same 3 3',
    'removed 4',
    'added  4',
    'added  5',
    'same 5 6',
    'note',
    'hunk',
    'removed 9',
    'added  10',
  ]);
});

test('[WEB2] the files of a diff are named by both of their heads, and their changed lines are counted', () => {
  const diff = [
    ...['--- a/src/a.ts', '+++ b/src/a.ts', '@@ -1,2 +1 @@', '-x', '-y', '+z'],
    ...['--- old.md', '+++ new.md', '@@ -1 +1 @@', ' same'],
    ...['--- /dev/null', '+++ b/new.ts', '@@ -0,0 +1 @@', '+first'],
    ...['--- a/x', '+++ a/x', '@@ -1 +1 @@', '--- a/never', '+++ b/never'],
  ].join('\n');
  expect(findFiles(readDiff(diff))).toEqual([
    { at: 0, path: 'src/a.ts', added: 1, removed: 2 },
    { at: 6, path: 'old.md → new.md', added: 0, removed: 0 },
    { at: 10, path: '/dev/null → b/new.ts', added: 1, removed: 0 },
    { at: 14, path: 'a/x', added: 1, removed: 1 },
  ]);
  expect(findFiles(readDiff('--- a/x\n@@ -1 +1 @@\n-a\n+b'))).toEqual([]);
  expect(findFiles(readDiff('+++ a/x\n--- a/x'))).toEqual([]);
});

test('[WEB2] text that is not a diff has no line numbers, and no part is left out', () => {
  const patch = '*** Begin Patch\n*** Update File: a\n@@\n-one\n+two\n*** End Patch\n';
  const lines = readDiff(patch);
  expect(lines.map((line) => line.text).join('\n')).toBe(patch);
  expect(lines.flatMap(({ before, after }) => [before, after]).every((place) => place === undefined)).toBe(true);
});

test('[WEB2] removed lines are compared by words with those that replaced them', () => {
  expect(findPairs(readDiff(text))).toEqual([
    { removed: 4, added: 5 },
    { removed: 10, added: 11 },
  ]);
  expect(findPairs(readDiff('-a\n-b\n same\n+c'))).toEqual([]);
  expect(findPairs(readDiff('-a\n-b\n+c\n+d'))).toEqual([
    { removed: 0, added: 2 },
    { removed: 1, added: 3 },
  ]);
});

test('[SEC5] a removed line is recognised, even if it looks like the head of a file', () => {
  const kinds = readDiff('--- a.sql\n+++ a.sql\n@@ -1,2 +1,1 @@\n--- drop nothing\n+++ drop all\n-@@ x').map(
    ({ kind }) => kind,
  );
  expect(kinds).toEqual(['head', 'head', 'hunk', 'removed', 'added', 'removed']);
});

test('[WEB2] a hunk whose counts are too high ends at the next one, as models write them', () => {
  const lines = readDiff('@@ -1,5 +1,5 @@\n-a\n+b\n@@ -9 +9 @@\n-c\n+d');
  expect(lines.map(({ kind, before = '', after = '' }) => `${kind} ${before} ${after}`.trim())).toEqual([
    'hunk',
    'removed 1',
    'added  1',
    'hunk',
    'removed 9',
    'added  9',
  ]);
});

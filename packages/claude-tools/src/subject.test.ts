import { expect, test } from 'vitest';
import { toDetails, toSubject } from './subject.ts';

const path = '/project/a.txt';

test('[AGT3] an edit is a diff of the old and the new text', () => {
  const args = { file_path: path, old_string: 'one\ntwo\nthree', new_string: 'one\n2\nthree' };
  expect(toSubject('Edit', args)).toEqual({
    kind: 'diff',
    text: `--- ${path}\n+++ ${path}\n@@ -1,3 +1,3 @@\n one\n-two\n+2\n three`,
  });
  expect(toSubject('Edit', { ...args, replace_all: true }).text).toContain('@@ every occurrence');
});

test('[AGT3] several edits are several hunks', () => {
  const edits = [
    { old_string: 'a', new_string: 'b' },
    { old_string: 'c', new_string: '' },
  ];
  expect(toSubject('MultiEdit', { file_path: path, edits }).text).toBe(
    `--- ${path}\n+++ ${path}\n@@ -1,1 +1,1 @@\n-a\n+b\n@@ -1,1 +1,1 @@\n-c\n+`,
  );
});

test.each([
  ['one\ntwo\n', '@@ -0,0 +1,2 @@ the whole file\n+one\n+two'],
  ['one', '@@ -0,0 +1,1 @@ the whole file\n+one\n\\ No newline at end of file'],
  ['', '@@ -0,0 +0,0 @@ the whole file: empty'],
])('[AGT3] a written file is a diff with all of it: %j', (content, hunk) => {
  expect(toSubject('Write', { file_path: path, content })).toEqual({
    kind: 'diff',
    text: `--- ${path}\n+++ ${path}\n${hunk}`,
  });
});

test('[AGT3] an address is shown with its host', () => {
  const args = { url: 'https://example.org@evil.test/a', prompt: 'Sum it up.' };
  expect(toSubject('WebFetch', args)).toEqual({
    kind: 'text',
    text: 'Host: evil.test\nAddress: https://example.org@evil.test/a\n\nSum it up.',
  });
});

test.each([
  ['Write', { file_path: path, content: 'x', mode: 'append' }],
  ['Edit', { file_path: path, old_string: 'x', new_string: 'y', hidden: true }],
  ['Edit', { file_path: path, old_string: 'x' }],
  ['MultiEdit', { file_path: path, edits: [{ old_string: 'x', new_string: 'y' }, 'z'] }],
  ['WebFetch', { url: 'no address', prompt: 'x' }],
])('[AGT3] arguments without a form of their own are shown as JSON: %s %j', (tool, args) => {
  expect(toSubject(tool, args)).toEqual({ kind: 'json', text: JSON.stringify(args, null, 2) });
});

test('[AGT3] a path cannot add a line to the diff', () => {
  const { text } = toSubject('Write', { file_path: '/project/a\n+++ /etc/b', content: 'x\n' });
  expect(text.split('\n')).toHaveLength(4);
});

test('[AGT3, ASK3] a plan is Markdown, and its other arguments are listed', () => {
  const args = { plan: '# Plan', allowedPrompts: [{ tool: 'Bash', prompt: 'run tests' }] };
  expect(toSubject('ExitPlanMode', args)).toEqual({ kind: 'markdown', text: '# Plan' });
  expect(toDetails('ExitPlanMode', args)).toEqual(['allowedPrompts: [{"tool":"Bash","prompt":"run tests"}].']);
  expect(toDetails('ExitPlanMode', {})).toEqual([]);
});

test('[AGT3] every flag of a command is shown separately', () => {
  const flags = { dangerouslyDisableSandbox: true, run_in_background: true, timeout: 9000, cwd: '/a\nIn /b' };
  expect(toDetails('Bash', { command: 'ls', description: 'List', ...flags })).toEqual([
    'dangerouslyDisableSandbox: true.',
    'run_in_background: true.',
    'timeout: 9000.',
    'cwd: "/a\\nIn /b".',
  ]);
});

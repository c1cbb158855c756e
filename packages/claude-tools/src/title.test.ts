import { expect, test } from 'vitest';
import { quoteDescription, titleOfQuestions, toTitle } from './title.ts';

const patch = '*** Begin Patch\n*** Update File: src/a.ts\n@@\n-one\n+two\n+three\n*** End Patch';

test.each<[string, Record<string, unknown>, string]>([
  ['Bash', { command: 'npm test' }, 'Run npm test'],
  ['Bash', { command: 'cat <<EOF\nrm -rf /\nEOF' }, 'Run cat <<EOF …'],
  ['Bash', { command: `echo ${'x'.repeat(200)}` }, `Run echo ${'x'.repeat(74)} …`],
  ['Write', { file_path: '/etc/hosts', content: 'x' }, 'Write /etc/hosts'],
  ['Edit', { file_path: 'src/price.ts', old_string: 'a\nb', new_string: 'a\nc\nd' }, 'Change src/price.ts (+2 −1)'],
  ['Edit', { file_path: 'a.ts', old_string: 'a', new_string: 'b', replace_all: true }, 'Change a.ts'],
  ['Read', { file_path: '/home/ann/shop/src/price.ts' }, 'Read …/shop/src/price.ts'],
  ['WebFetch', { url: 'https://docs.acme.dev@evil.test/a' }, 'Fetch evil.test'],
  ['WebSearch', { query: 'lit 4' }, 'Search the web for “lit 4”'],
  ['apply_patch', { command: patch }, 'Change src/a.ts (+2 −1)'],
  ['ExitPlanMode', { plan: '# Plan' }, 'Carry out this plan?'],
  ['mcp__github__create_issue', { title: 'x' }, 'Use "create_issue" of github'],
  ['Bash', { command: 7 }, 'Allow "Bash"?'],
  ['constructor', {}, 'Allow "constructor"?'],
])('[ASK7] the title of a call is its verb and object, in plain text: %s %j', (tool, args, title) => {
  expect(toTitle(tool, args)).toBe(title);
});

test('[ASK7] what the caller says about a command is quoted, on one line', () => {
  expect(quoteDescription('Bash', { description: 'Run the tests' })).toBe('“Run the tests”');
  expect(quoteDescription('Bash', { description: 'Run\ntimeout: 1.' })).toBe('“Run …”');
  expect(quoteDescription('Bash', { description: '' })).toBe('');
  expect(quoteDescription('Write', { description: 'x' })).toBe('');
});

test('[ASK3] questions are named by the first of them', () => {
  expect(titleOfQuestions([{ question: 'Which colour?' }])).toBe('Which colour?');
  expect(titleOfQuestions([{ question: 'Which colour?' }, { question: 'Which size?' }])).toBe(
    'Which colour? (and 1 more)',
  );
});

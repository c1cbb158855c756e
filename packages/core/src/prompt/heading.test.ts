import { expect, test } from 'vitest';
import { headingOf, titleOf } from './heading.ts';
import type { Subject } from './interaction.ts';

const command = (text: string): Subject => ({ kind: 'command', text });

test.each<[string, Subject | undefined, string]>([
  ['Run `npm test`', command('npm test'), 'Run npm test'],
  ['gemini: `npm test`', command('npm test'), 'gemini: npm test'],
  ['Change `a.ts` and `b.ts`?', undefined, 'Change a.ts and b.ts?'],
  ['Write “`a.ts`”.', { kind: 'text', text: 'a.ts' }, 'Write “a.ts”.'],
])('[WEB3, ACP1] the title %s is shown without the marks of Markdown', (title, subject, shown) => {
  expect(titleOf({ title, subject })).toBe(shown);
});

test.each<[string, Subject | undefined]>([
  ['echo `date`', command('echo `date`')],
  ['opencode: echo `date`', command('echo `date`')],
  ['Delete a**b and c**d', undefined],
  ['What does ` do?', undefined],
  ['Change __init__.py', undefined],
])('[WEB3, ACP1] what belongs to a command or a name stays in the title %s', (title, subject) => {
  expect(titleOf({ title, subject })).toBe(title);
});

test('[WEB3] what is within code is no mark', () => {
  expect(titleOf({ title: 'Delete `**/test/**`?' })).toBe('Delete **/test/**?');
});

test('[WEB3] a prompt is named by its title, else by what it says, else by its tool', () => {
  const request = { toolName: 'deploy', interactionType: 'approval' } as const;
  expect(headingOf({ ...request, title: 'Run `x`', prompt: 'Now?' })).toBe('Run x');
  expect(headingOf({ ...request, prompt: 'Run `x` now?' })).toBe('Run `x` now?');
  expect(headingOf(request)).toBe('Allow "deploy"?');
});

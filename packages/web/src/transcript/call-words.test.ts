import { expect, test } from 'vitest';
import { countLines, describeCall, describeDuration } from './call-words.ts';

test.each([
  ['Read', { file_path: 'src/a.ts', limit: 3 }, 'Read src/a.ts'],
  ['run_command', { command: 'npm test' }, 'Run npm test'],
  ['delete_files', { paths: ['a', 'b'] }, 'Delete a, b'],
  ['Grep', { pattern: 'listen(', path: 'src' }, 'Search for listen('],
  ['deploy', { to: 'production', times: 2 }, 'deploy (to: "production", times: 2)'],
  ['deploy', {}, 'deploy '],
  ['deploy', 'now', 'deploy ("now")'],
  ['Read', { file_path: 7 }, 'Read (file_path: 7)'],
  ['Read', {}, 'Read '],
  ['constructor', { x: 1 }, 'constructor (x: 1)'],
])('[WEB2] a call is described by a verb and its object: %s %j', (tool, args, words) => {
  const { verb, object } = describeCall(tool, args);
  expect(`${verb} ${object}`).toBe(words);
});

test('[WEB2] a long object is cut; the arguments show all of it', () => {
  expect(describeCall('Bash', { command: 'x'.repeat(5000) }).object).toHaveLength(201);
});

test.each([
  ['', 'empty'],
  ['a', '1 line'],
  ['a\n', '1 line'],
  ['a\nb', '2 lines'],
  ['\n\n', '2 lines'],
])('[WEB2] lines are counted as people count them: %j', (text, words) => {
  expect(countLines(text)).toBe(words);
});

test.each([
  [Number.NaN, ''],
  [99, ''],
  [130, '0.1 s'],
  [9_940, '9.9 s'],
  [12_400, '12 s'],
  [63_000, '1 min 3 s'],
  [3_720_000, '1 h 2 min'],
])('[WEB2] a duration is short: %d ms', (ms, words) => {
  expect(describeDuration(ms)).toBe(words);
});

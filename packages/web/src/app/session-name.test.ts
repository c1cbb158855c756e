import { expect, test } from 'vitest';
import { nameSession } from './session-name.ts';

test.each([
  ['Please release version 2.1.', 'Please release version 2.1.'],
  ['  First line\nsecond line', 'First line'],
  ['/call ask_user {"question": "Tea?", "options": ["yes", "no"]}', 'Ask user'],
  ['/call delete_files', 'Delete files'],
  ['/call', '/call'],
  ['/stream 20 100', '/stream 20 100'],
  ['x'.repeat(60), 'x'.repeat(60)],
  ['x'.repeat(61), `${'x'.repeat(59)}…`],
])('[WEB6] a session that begins with “%s” is called “%s”', (text, title) => {
  expect(nameSession(text)).toBe(title);
});

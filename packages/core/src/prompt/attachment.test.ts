import { expect, test } from 'vitest';
import { wordsOfMessage } from './attachment.ts';

const log = { fileId: 'f', name: 'log.txt', mediaType: 'text/plain', size: 3, sha256: '0'.repeat(64) };

test.each([
  [{ text: 'Look.' }, 'Look.'],
  [{ text: 'Look.', files: [] }, 'Look.'],
  [{ text: 'Look.', files: [log] }, 'Look.\n\nAttached: log.txt (3 bytes)'],
  [{ text: '', files: [log, log] }, 'Attached: log.txt (3 bytes), log.txt (3 bytes)'],
  [{ text: '' }, ''],
])('[REV6] a model reads the text of a message and the names of its files: %j', (message, words) => {
  expect(wordsOfMessage(message)).toBe(words);
});

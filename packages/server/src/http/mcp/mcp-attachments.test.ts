import type { FileReference } from '@parleyhq/core';
import { expect, test, vi } from 'vitest';
import type { CallFiles } from '../../extensions/programs/call-files.ts';
import type { Programs } from '../../extensions/programs/run-for-caller.ts';
import { say } from './mcp-answer.ts';
import { attachFiles } from './mcp-attachments.ts';

const call = { sessionId: 's-1', toolCallId: 't-1', principal: 'ci', callId: 'c-1' };
const latin1 = Uint8Array.from([0x63, 0x61, 0x66, 0xe9]); // "café"
const file: FileReference = { fileId: 'f-1', name: 'a.txt', mediaType: 'text/plain', size: latin1.length, sha256: 'h' };
const outcome = { result: { ok: true, files: [{ fileId: 'f-1', url: 'https://parley.example/f-1' }] } };

const warn = vi.fn();

function attach(readLife: () => Promise<object>) {
  const files: Pick<CallFiles, 'read'> = { read: async () => new Blob([latin1]).stream() };
  const programs = { calls: { readLife }, files, log: { warn } } as unknown as Programs;
  return attachFiles(programs, call, outcome, say(outcome));
}

test('[REV6] a text that is not UTF-8 is handed over as its bytes', async () => {
  const { content } = await attach(async () => ({ end: { payload: { files: [file] } } }));
  const blob = Buffer.from(latin1).toString('base64');
  const resource = { uri: 'https://parley.example/f-1', mimeType: 'text/plain', blob };
  expect(content[1]).toEqual({ type: 'resource', resource });
});

test('[REV6] a result is not lost if the log cannot be read for its files', async () => {
  expect(await attach(() => Promise.reject(new Error('disk')))).toEqual(say(outcome));
  expect(warn).toHaveBeenCalledOnce();
});

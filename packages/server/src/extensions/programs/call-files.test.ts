import type { ChatEvent } from '@parleyhq/core';
import { expect, test } from 'vitest';
import { Tickets } from '../../auth/ticket.ts';
import { CallFiles } from './call-files.ts';

const file = { fileId: 'f-1', name: 'a.txt', mediaType: 'text/plain', size: 3, sha256: 'h' };
const call = { sessionId: 's-1', toolCallId: 't-1', principal: 'ci', callId: 'c-1' };
const end = {
  ...{ seq: 9, id: 'e-9', sessionId: 's-1', timestamp: '', v: 1, type: 'tool_result' as const },
  payload: { toolCallId: 't-1', toolName: 'ask_human', result: { ok: true }, files: [file] },
} satisfies ChatEvent<'tool_result'>;

let time = 1000;
const files = new CallFiles({
  tickets: new Tickets('c2VjcmV0', 'e-1'),
  files: { read: async () => undefined },
  baseUrl: () => 'https://parley.example',
  now: () => time,
});

function ticket(): string {
  const { result } = files.addTo({ result: { ok: true } }, end);
  const {
    files: [{ url }],
  } = result as unknown as { files: [{ url: string }] };
  return url.slice('https://parley.example/api/calls/t-1/files/'.length);
}

test('[REV6] the address of a file is valid for an hour, for the files of its own call', () => {
  const given = ticket();
  expect(files.find(call, end, given)).toEqual(file);
  expect(() => files.find({ ...call, toolCallId: 't-2' }, end, given)).toThrow('fetch the call again');
  expect(() => files.find(call, undefined, given)).toThrow('fetch the call again');
  time += 3_600_000;
  expect(() => files.find(call, end, given)).toThrow('fetch the call again');
  expect(files.find(call, end, ticket())).toEqual(file);
});

test('[REV6] a tool’s own member "files", a result without members and an error stay as they are, next to the files', () => {
  const added = [expect.objectContaining({ fileId: 'f-1', bytes: 3 })];
  const error = { code: 'denied', message: 'No.' };
  expect(files.addTo({ result: { files: 3 } }, end)).toEqual({ result: { files: 3 }, files: added });
  expect(files.addTo({ result: 'yes' }, end)).toEqual({ result: 'yes', files: added });
  expect(files.addTo({ error }, end)).toEqual({ error, files: added });
  expect(files.addTo({ result: {} }, { ...end, payload: { ...end.payload, files: [] } })).toEqual({ result: {} });
});

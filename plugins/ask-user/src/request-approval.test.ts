import { expect, test } from 'vitest';
import { answered, scriptTool } from '../test/script.ts';
import { requestApproval } from './request-approval.ts';

const request = { title: 'Deploy?', subject: { kind: 'command', text: 'make deploy' } };
const branch = { ...request, args: { branch: 'main' } };

test('[ASK3] a yes counts once, and says who gave it', async () => {
  const { run, asked } = scriptTool(requestApproval, { action: 'approve', reason: 'Go.' });
  expect(await run({ ...request, prompt: 'It goes live.', risk: 'high' })).toEqual({
    approved: true,
    scope: 'once',
    reason: 'Go.',
    ...answered,
  });
  expect(asked[0]).toMatchObject({
    type: 'approval',
    title: 'Deploy?',
    prompt: 'It goes live.',
    risk: 'high',
    subject: request.subject,
    approvalScopes: ['once'],
    timeoutMs: null,
    onUnavailable: 'wait',
  });
});

test('[ASK3] a yes for the session says so', async () => {
  const { run, asked } = scriptTool(requestApproval, { action: 'approve', approvalScope: 'session' });
  expect(await run({ ...request, scopes: ['once', 'session'] })).toMatchObject({ approved: true, scope: 'session' });
  expect(asked[0]?.approvalScopes).toEqual(['once', 'session']);
});

test('[ASK3] a denial has its reason; a cancel counts as a denial', async () => {
  const denied = scriptTool(requestApproval, { action: 'deny', reason: 'Not on Friday.' });
  expect(await denied.run(request)).toEqual({ approved: false, reason: 'Not on Friday.', ...answered });
  const cancelled = scriptTool(requestApproval, { action: 'cancel' });
  expect(await cancelled.run(request)).toEqual({ approved: false, reason: expect.any(String), ...answered });
});

test('[ASK3, INT10] a passed deadline is not an approval, and names nobody', async () => {
  const { run, asked } = scriptTool(requestApproval, 'timeout');
  const result = { approved: false, error: 'timeout', reason: expect.any(String) };
  expect(await run({ ...request, timeoutSeconds: 2 })).toEqual(result);
  expect(asked[0]?.timeoutMs).toBe(2000);
});

test('[ASK3] the arguments come back with the yes, as they were', async () => {
  const { run } = scriptTool(requestApproval, { action: 'approve' });
  expect(await run(branch)).toMatchObject({ approved: true, args: { branch: 'main' } });
});

test('[ASK3] a person may change the arguments, and nothing else of the request', async () => {
  const editable = { ...branch, editable: true };
  const { run, asked } = scriptTool(
    requestApproval,
    { action: 'approve', editedArgs: { ...editable, title: 'Delete?' } },
    { action: 'approve', editedArgs: { ...editable, args: { branch: 'next' } } },
  );
  expect(await run(editable)).toMatchObject({ approved: true, args: { branch: 'next' } });
  expect(asked).toMatchObject([{ editable: true, editPath: ['args'] }, { error: 'Only "args" can be changed.' }]);
});

test.each<[object, RegExp]>([
  [{ title: undefined }, /title/],
  [{ subject: 'make deploy' }, /expected object/],
  [{ subject: { kind: 'html', text: 'x' } }, /"markdown"/],
  [{ subject: { kind: 'text', text: '' } }, /nothing to read/],
  [{ subject: { ...request.subject, path: '/etc' } }, /Unrecognized key: "path"/],
  [{ scopes: ['ever'] }, /"once"\|"session"\|"always"/],
  [{ scopes: [] }, /Too small/],
  [{ editable: true }, /give "args", too/],
  [{ timeoutSeconds: -1 }, /Too small/],
  [{ quorum: { approve: 2 } }, /Unrecognized key: "quorum"/],
])('[ASK3] %j is refused with what is wrong', async (change, words) => {
  const { run, asked } = scriptTool(requestApproval);
  const refusal = { code: 'invalid_args', message: expect.stringMatching(words) };
  await expect(run({ ...request, ...change })).rejects.toMatchObject(refusal);
  expect(asked).toEqual([]);
});

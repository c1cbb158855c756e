import { expect, test } from 'vitest';
import { Journey, pluginPath } from '../support/journey.ts';
import { startServer, useServer } from '../support/use-server.ts';

const plugins = [pluginPath('approve.mjs')];
const server = useServer({ plugins });
const subject = (path: string) => ({ kind: 'command', text: `touch ${path}` });

test('[PLG13, APR2] an edit is asked about again with its own title, subject and digest, and runs once that is allowed', async () => {
  const journey = await Journey.begin(server);
  const first = await journey.ask('follow', { path: 'a' });
  expect(first).toMatchObject({ title: 'Touch a?', subject: subject('a') });
  await journey.answer(first, { action: 'approve', editedArgs: { path: 'nowhere' } });
  const wrong = await journey.next(first);
  expect(wrong).toMatchObject({ title: 'Touch a?', error: 'There is no such path.' });
  await journey.answer(wrong, { action: 'approve', approvalScope: 'always', editedArgs: { path: 'b' } });
  const edited = await journey.next(wrong);
  expect(edited).toMatchObject({ title: 'Touch b?', subject: subject('b'), editable: false, approvalScopes: ['once'] });
  expect(edited.digest).not.toBe(wrong.digest);
  expect(await journey.answer(wrong, { action: 'approve' })).toMatchObject({ error: { code: 'already_answered' } });
  await journey.answer(edited, { action: 'approve' });
  expect(await journey.outcome()).toMatchObject({ result: { approved: true, scope: 'once', args: { path: 'b' } } });
  await journey.event('turn_end');
  const again = await journey.ask('follow', { path: 'b' });
  expect(again.title).toBe('Touch b?'); // nobody allowed it for longer than once
});

test('[PLG13] an unedited approval, and an edit that looks the same, run as they were shown', async () => {
  const journey = await Journey.begin(server);
  const prompt = await journey.ask('follow', { path: 'c' });
  await journey.answer(prompt, { action: 'approve', editedArgs: { path: 'c', wait: true } });
  expect(await journey.outcome()).toMatchObject({ result: { approved: true, args: { path: 'c', wait: true } } });
});

test('[PLG13, DUR2] denying the edit denies the call, and a kill between the two questions loses neither', async () => {
  const own = await startServer({ plugins });
  let journey = await Journey.begin(own);
  const first = await journey.ask('follow', { path: 'a' });
  await journey.answer(first, { action: 'approve', editedArgs: { path: 'b' } });
  const edited = await journey.next(first);
  await own.restart();
  journey = await journey.join(own);
  await journey.answer(edited, { action: 'approve' });
  expect(await journey.outcome()).toMatchObject({ result: { approved: true, args: { path: 'b' } } });
  await journey.event('turn_end');
  const other = await journey.ask('follow', { path: 'a' });
  await journey.answer(other, { action: 'approve', editedArgs: { path: 'b' } });
  await journey.answer(await journey.next(other), { action: 'deny', reason: 'No.' });
  expect(await journey.outcome(other)).toMatchObject({ result: { approved: false, reason: 'No.' } });
});

import { failWith, say } from '@parleyhq/plugin-anthropic/testing';
import { expect, test } from 'vitest';
import { call, useClaudeServer } from './claude-server.ts';

const claude = useClaudeServer();

test('[AGT3] the SDK retries after a temporary error, and the log records it', async () => {
  await claude.ask('Hello', failWith(529, 'overloaded_error'), { content: [say('At last.')] });
  expect(await claude.end()).toMatchObject({ status: 'completed' });
  expect(claude.payloads('error')).toMatchObject([{ code: 'overloaded' }]);
  expect(claude.payloads('assistant_done')).toEqual([{ block: 0, text: 'At last.' }]);
});

test.each(['drop', 'error'] as const)(
  '[AGT3, DUR7] a message that breaks off (%s) is begun anew, and stands once',
  async (kind) => {
    const reply = { content: [say('Half of it is lost.'), call('Bash', { command: 'touch never.txt' })] };
    await claude.ask('Hello', { ...reply, fault: { kind, after: 2 } }, { content: [say('Whole again.')] });
    expect(await claude.end()).toMatchObject({ status: 'completed' });
    expect(claude.payloads('error')).toMatchObject([{ message: 'The message broke off and is being restarted.' }]);
    expect(claude.payloads('assistant_done', 'tool_call')).toEqual([{ block: 0, text: 'Whole again.' }]);
  },
);

test('[AGT3] a permanent error ends the turn with its code, and the next turn works', async () => {
  claude.otherwise(() => failWith(400, 'invalid_request_error', {}, 'This cannot be.'));
  await claude.ask('Hello');
  expect(await claude.end()).toMatchObject({
    status: 'error',
    error: { code: 'invalid_request', message: expect.stringContaining('This cannot be.') },
  });
  expect(claude.payloads('assistant_done')).toEqual([]);
  claude.otherwise(() => ({ content: [say('Better.')] }));
  const { seq } = claude;
  await claude.say('And now?');
  expect(await claude.end(seq)).toMatchObject({ status: 'completed' });
  expect(await claude.lastSent()).toEqual(['user: Hello', 'user: And now?']);
});

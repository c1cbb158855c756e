import { access, mkdir, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { say } from '@parleyhq/plugin-anthropic/testing';
import { expect, test } from 'vitest';
import { call, useClaudeServer } from './claude-server.ts';

const claude = useClaudeServer();

const done = { content: [say('Done.')] };
const prompt = async (after = 0) => (await claude.tab.event('interaction_request', undefined, after)).payload;
const write = (file: string, content: string) => call('Write', { file_path: join(claude.work, file), content });

test('[AGT3, APR2] "for session" of a Write covers this content and no other', async () => {
  await claude.ask('Hello', { content: [say('Hello.')] });
  const { seq } = await claude.tab.event('turn_end');
  claude.script(
    { content: [write('deploy.sh', 'echo hello\n')] },
    { content: [write('deploy.sh', 'rm -rf /\n')] },
    done,
  );
  await claude.say('Write');
  const asked = await prompt(seq);
  expect(asked.subject).toEqual({
    kind: 'diff',
    text: `--- ${claude.work}/deploy.sh\n+++ ${claude.work}/deploy.sh\n@@ -0,0 +1,1 @@ the whole file\n+echo hello`,
  });
  await claude.tab.answer(asked, { action: 'approve', approvalScope: 'session' });
  await claude.tab.event('tool_result', undefined, seq);
  const other = await prompt(claude.seq);
  expect(other.subject?.text).toContain('+rm -rf /');
  await claude.tab.answer(other, { action: 'deny' });
  await claude.end(seq);
});

test('[AGT3] a command is shown with its flags', async () => {
  await claude.ask(
    'Run',
    { content: [call('Bash', { command: 'touch f', dangerouslyDisableSandbox: true, timeout: 9000 })] },
    done,
  );
  const asked = await prompt();
  expect(asked.prompt).toMatch(/^timeout: 9000\. dangerouslyDisableSandbox: true\. /);
  await claude.tab.answer(asked, { action: 'deny' });
  await claude.end();
});

test('[AGT3, APR3] acceptEdits covers the working folder alone: elsewhere, by a link, and in .git a person is asked', async () => {
  await claude.ask('Hello', { content: [say('Hello.')] });
  await claude.end();
  const { seq } = claude;
  await mkdir(join(claude.work, '.git/hooks'), { recursive: true });
  await symlink('..', join(claude.work, 'up'));
  await claude.tab.client.setPermissionMode(claude.tab.sessionId, 'acceptEdits');
  const files = ['in.txt', '../out.txt', 'up/link.txt', '.git/hooks/pre-commit'];
  claude.script(...files.map((file) => ({ content: [write(file, 'x\n')] })), done);
  await claude.say('Write them');
  let after = seq;
  for (const file of files.slice(1)) {
    const asked = await prompt(after);
    expect(asked.subject?.text).toContain(join(claude.work, file));
    after = claude.seq;
    await claude.tab.answer(asked, { action: 'deny' });
  }
  expect(await claude.end(seq)).toMatchObject({ status: 'completed' });
  const written = await Promise.allSettled(files.map((file) => access(join(claude.work, file))));
  expect(written.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'rejected', 'rejected']);
});

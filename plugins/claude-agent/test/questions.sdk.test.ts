import { say } from '@parleyhq/plugin-anthropic/testing';
import { expect, test } from 'vitest';
import { call, useClaudeServer } from './claude-server.ts';

const claude = useClaudeServer();

const done = { content: [say('Done.')] };
const options = [
  { label: 'dayjs', description: 'Small.' },
  { label: 'luxon', description: 'Large.' },
];
const library = { question: 'Which library?', header: 'Library', options, multiSelect: false };
const parts = {
  question: 'Which parts?',
  header: 'Parts',
  options: ['Auth', 'Logs', 'Cache'].map((label) => ({ label, description: `${label}.` })),
  multiSelect: true,
};

async function ask(...questions: object[]) {
  await claude.ask('Ask me', { content: [call('AskUserQuestion', { questions })] }, done);
  return (await claude.tab.event('interaction_request')).payload;
}

test('[AGT3] questions are a stepper with choices, free text and notes; answers are keyed by the text of the question', async () => {
  const prompt = await ask(library, parts);
  expect(prompt).toMatchObject({ interactionType: 'input', presentation: 'questionnaire' });
  expect(prompt.inputSchema).toMatchObject({
    layout: 'stepper',
    sections: [{ fields: ['answer1', 'notes1'] }, { fields: ['answer2', 'notes2'] }],
    fields: [
      {
        type: 'radio',
        label: 'Which library?',
        header: 'Library',
        other: true,
        options: [{ description: 'Small.' }, {}],
      },
      { type: 'text', label: 'Notes' },
      { type: 'multiselect', label: 'Which parts?', header: 'Parts', other: true },
      { type: 'text', label: 'Notes' },
    ],
  });
  await claude.tab.submit(prompt, { answer1: 'dayjs', notes1: 'below 3 kB', answer2: ['Auth', 'Logs'] });
  expect(await claude.end()).toMatchObject({ status: 'completed' });
  const result = (await claude.sent(2)).at(-1);
  expect(result).toMatch(/^result: /);
  expect(result).toContain('"Which library?"="dayjs"');
  expect(result).toContain('below 3 kB');
  expect(result).toContain('"Which parts?"="Auth, Logs"');
  expect(claude.payloads('tool_result')).toMatchObject([{ toolName: 'AskUserQuestion', result: result?.slice(8) }]);
});

test('[AGT3] an answer without every question is refused', async () => {
  const prompt = await ask(library, parts);
  for (const input of [{}, { notes1: 'x' }, { answer1: 'dayjs' }, { answer1: 'dayjs', answer2: [] }])
    await expect(claude.tab.submit(prompt, input)).rejects.toMatchObject({ code: 'invalid' });
  await claude.tab.answer(prompt, { action: 'cancel' });
  await claude.end();
});

test('[AGT3] free text reaches the model verbatim', async () => {
  const prompt = await ask(library);
  await claude.tab.submit(prompt, { answer1: { other: 'Temporal, from the platform' } });
  await claude.end();
  const result = (await claude.sent(2)).at(-1);
  expect(result).toContain('"Which library?"="Temporal, from the platform"');
});

test('[AGT3] the model learns that the questions were cancelled', async () => {
  const prompt = await ask(library);
  await claude.tab.answer(prompt, { action: 'cancel' });
  await claude.end();
  expect((await claude.sent(2)).at(-1)).toMatch(/^error: .*The person did not want to answer this\.$/);
});

test('[AGT3] two questions at once are two prompts, each answered on its own', async () => {
  const calls = [library, parts].map((question) => call('AskUserQuestion', { questions: [question] }));
  await claude.ask('Ask me twice', { content: calls }, done);
  const [first, second] = await claude.tab.prompts(2);
  await claude.tab.submit(second!, { answer1: ['Cache'] });
  await claude.tab.submit(first!, { answer1: 'luxon' });
  await claude.end();
  const [one, two] = (await claude.sent(2)).slice(-2).sort(); // in the order in which they were answered
  expect(one).toContain('"Which library?"="luxon"');
  expect(two).toContain('"Which parts?"="Cache"');
});

test('[AGT3] approving a plan takes the session out of plan mode', async () => {
  const plan = '1. Write a file.';
  await claude.ask('Hello', { content: [say('Hello.')] });
  await claude.end();
  const { tab } = claude;
  await tab.client.setPermissionMode(tab.sessionId, 'plan');
  const write = call('Write', { file_path: `${claude.work}/plan.txt`, content: 'x' });
  claude.script(
    { content: [call('Bash', { command: 'touch early.txt' })] },
    { content: [call('ExitPlanMode', { plan })] },
    { content: [call('ExitPlanMode', { plan })] },
    { content: [write] },
    done,
  );
  let { seq } = claude;
  await claude.say('Plan it');
  const next = async () => (await claude.tab.event('interaction_request', undefined, seq)).payload;
  const first = await next();
  expect(first).toMatchObject({ title: 'Carry out this plan?', subject: { kind: 'markdown', text: plan } });
  expect(claude.payloads('tool_result')).toMatchObject([{ toolName: 'Bash', error: { code: 'denied' } }]);
  seq = claude.seq;
  await tab.answer(first, { action: 'deny', reason: 'Shorter.' });
  const second = await next();
  expect((await claude.sent(4)).at(-1)).toMatch(/^error: .*Shorter\.$/);
  seq = claude.seq;
  await tab.answer(second, { action: 'approve' });
  const third = await next();
  expect(third).toMatchObject({ toolName: 'Write' });
  expect(claude.payloads('session_changed').at(-1)).toMatchObject({
    permissionMode: 'default',
    by: { transport: expect.any(String) },
  });
  await tab.answer(third, { action: 'approve' });
  expect(await claude.end(seq)).toMatchObject({ status: 'completed' });
  expect(await claude.files()).toEqual(['plan.txt']);
});

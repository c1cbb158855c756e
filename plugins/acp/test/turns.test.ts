import { existsSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { AcpStage } from './acp-stage.ts';

test('[ACP1] text, thoughts, a plan, calls and usage become what a session shows', async () => {
  const stage = await AcpStage.start();
  const end = await stage.play('think:hm say:Hello plan run:ls fail usage unknown say:Bye');
  expect(end).toMatchObject({
    status: 'completed',
    usage: { contextTokens: 1200, contextSize: 200000, cost: { amount: 0.01 } },
  });
  expect(stage.payloads('thinking_done')).toMatchObject([{ text: 'hm' }]);
  const unknown = '*The agent reports "moon_phase":*\n\n```\n{\n  "phase": "full"\n}\n```';
  expect(stage.texts).toEqual(['Hello', '- [x] Boil\n- [ ] Pour', unknown, 'Bye']);
  expect(stage.payloads('tool_call')).toMatchObject([
    { toolName: 'execute', args: { title: 'ls', input: { command: 'ls' } } },
    { toolName: 'execute', args: { title: 'false' } },
  ]);
  expect(stage.payloads('tool_result')).toMatchObject([
    { result: 'done' },
    { error: { code: 'tool_error', message: 'exit 1' } },
  ]);
});

test('[ACP1] noise, calls that were not announced and huge output do no harm', async () => {
  const stage = await AcpStage.start();
  expect(await stage.play('noise stray huge say:Still_here late')).toMatchObject({ status: 'completed' });
  const [, huge] = stage.payloads('tool_result');
  expect(String(huge?.result)).toHaveLength(100_000 + '\n[100000 of 5000000 characters]'.length);
  expect(stage.texts).toEqual(['Still here']);
  await sleep(400);
  expect(await stage.play('say:Next')).toMatchObject({ status: 'completed' });
  expect(stage.texts).toEqual(['Still here', 'Next']);
});

test('[ACP1] a failed prompt ends the turn with its reason, and the next one works', async () => {
  const stage = await AcpStage.start();
  expect(await stage.play('broken')).toMatchObject({
    status: 'error',
    error: { code: 'agent_failed', message: expect.stringContaining('The model is out.') },
  });
  expect(await stage.play('login')).toMatchObject({ status: 'error', error: { code: 'unauthorised' } });
  expect(await stage.play('say:Fine')).toMatchObject({ status: 'completed' });
});

test('[ACP1, INT11] a stop cancels the turn, closes its prompts and answers each open request, and later ones', async () => {
  const stage = await AcpStage.start();
  const seq = await stage.tab.say('ask after');
  await stage.tab.prompt();
  await stage.tab.session.cancelTurn();
  expect(await stage.end(seq)).toMatchObject({ status: 'cancelled' });
  expect(stage.payloads('interaction_closed')).toMatchObject([{ reason: 'cancelled' }]);
  await expect.poll(() => stage.notes).toEqual(expect.arrayContaining(['permission cancelled', 'cancelled']));
  expect(await stage.play('say:Again')).toMatchObject({ status: 'completed' });
  expect(stage.texts.at(-1)).toBe('Again');
});

test('[ACP1] an agent that does not obey a stop, or never begins, is ended, and started again', async () => {
  const stop = async (stage: AcpStage, words: string, isReady: () => Promise<unknown>) => {
    const seq = await stage.tab.say(words);
    await isReady();
    await stage.tab.session.cancelTurn();
    expect(await stage.end(seq)).toMatchObject({ status: 'cancelled' });
    expect(await stage.play('say:Again')).toMatchObject({ status: 'completed' });
  };
  const [deaf, hung] = [await AcpStage.start(), await AcpStage.start({ fake: { hangs: true } })];
  await Promise.all([
    stop(deaf, 'say:Working deaf:60000', () =>
      deaf.tab.until(({ streams }) => streams.find(({ text }) => text.includes('Working'))),
    ),
    stop(hung, 'say:One', () => expect.poll(() => hung.notes).toEqual(['hung'])),
  ]);
  expect(deaf.notes).toContain('resumed');
});

test('[ACP1] an agent that dies ends its turn with an error; the next message starts it again with its session', async () => {
  const stage = await AcpStage.start();
  expect(await stage.play('say:One die')).toMatchObject({ status: 'error', error: { code: 'agent_stopped' } });
  expect(await stage.play('history')).toMatchObject({ status: 'completed' });
  expect(stage.texts.at(-1)).toBe('say:One die | history');
  expect(stage.notes).toEqual(['resumed']);
});

test('[ACP1] a program that does not exist is named', async () => {
  const stage = await AcpStage.start({ entry: { command: 'no-such-program' } });
  expect(await stage.play('say:Hello')).toMatchObject({
    status: 'error',
    error: { code: 'agent_stopped', message: expect.stringContaining('no-such-program') },
  });
});

test('[ACP1, SEC8] an agent gets no variable of the server but the usual ones, and those of its entry', async () => {
  process.env.PARLEYKEY = 'secret';
  const stage = await AcpStage.start();
  await stage.play('env:PARLEYKEY env:PATH');
  expect(stage.texts.join('')).toBe(`PARLEYKEY=PATH=${process.env.PATH}`);
});

test('[ACP1] the process ends with the server, and everything that it started', async () => {
  const stage = await AcpStage.start();
  await stage.play('pid');
  await stage.play('child');
  const pids = stage.texts;
  expect(pids.map((pid) => existsSync(`/proc/${pid}`))).toEqual([true, true]);
  await stage.server.server.close();
  await expect.poll(() => pids.some((pid) => existsSync(`/proc/${pid}`))).toBe(false);
});

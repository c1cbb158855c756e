import type { InteractionRequest } from '@parleyhq/core';
import { expect } from 'vitest';
import { Journey, pluginPath, readEffects, release } from '../support/journey.ts';
import type { ServerProcess } from '../support/server-process.ts';
import type { Tab } from '../support/tab.ts';

export const guiltyPlugin = pluginPath('guilty.mjs');

/** Log line of a start that enters nothing by itself. */
export const carefulWords = 'waiting calls stay asleep';

/** One session whose call waits. */
export interface Innocent {
  readonly tool: string;
  readonly session: string;
  readonly prompt: InteractionRequest;
  /** End of its log when its call began to wait. */
  readonly seq: number;
}

/** Begins calls of this tool, each in a session of its own, until all of them wait. */
export async function beginCalls(server: ServerProcess, tool: string, count: number): Promise<Innocent[]> {
  const tab = await server.open();
  const begin = async (n: number): Promise<Innocent> => {
    const session = await tab.createSession();
    await tab.follow(session);
    await tab.say(session, `/call ${tool} {"name":"${tool} ${n}"}`);
    const prompt = await tab.prompt(session);
    return { tool, session, prompt, seq: tab.events(session).at(-1)?.seq ?? 0 };
  };
  return Promise.all(Array.from({ length: count }, (_, n) => begin(n)));
}

/** Starts the server repeatedly until one start gets to this. @returns how many ended before */
export async function startUntil<T>(
  server: ServerProcess,
  comes: () => Promise<T>,
): Promise<{ deaths: number; came: T }> {
  for (let deaths = 0; ; deaths += 1) {
    const came = await server
      .restart()
      .then(() => Promise.race([server.ended().then(() => undefined), comes().then((value) => ({ value }))]))
      .catch(() => undefined); // it ended before it was ready, or during the request
    if (came) return { deaths, came: came.value };
  }
}

/** Kills the server while one guilty call and many innocent ones wait: only the guilty one is given up, after three entries of its own. */
export async function accuse(server: ServerProcess, counts: { patient: number; plain: number }): Promise<void> {
  const innocents = [
    ...(await beginCalls(server, 'patient', counts.patient)),
    ...(await beginCalls(server, 'plain', counts.plain)),
  ];
  const guilty = await Journey.begin(server);
  const question = await guilty.ask('guilty');
  await server.kill();
  await release(server, 'armed');

  const { deaths } = await startUntil(server, () => server.says(carefulWords));
  expect(deaths).toBeLessThanOrEqual(2);
  await expectOpen(server, [...innocents.map(({ prompt }) => prompt), question]);
  const entered = async () => (await readEffects(server, 'guilty')).length;
  const before = await entered();
  const back = await guilty.join(server);
  const ended = server.ended();
  await back.answer(question, { action: 'approve' }); // stored first; its entry ends the server
  await ended;
  const { came } = await startUntil(server, async () => (await guilty.join(server)).outcome());
  expect(came.error).toMatchObject({ code: 'interrupted', message: expect.stringContaining('"guilty"') });
  expect((await entered()) - before).toBe(3);

  const tab = await expectOpen(
    server,
    innocents.map(({ prompt }) => prompt),
  );
  const welcome = await tab.waitFor('welcome');
  for (const { session, seq } of innocents.filter(({ tool }) => tool === 'patient'))
    expect(welcome.sessions.find(({ id }) => id === session)?.seq ?? seq).toBe(seq); // the newest hundred are listed
  await Promise.all(innocents.map((innocent) => expectAnswered(tab, innocent)));
}

/** Checks that each of these is open, under its id, and nothing else. */
export async function expectOpen(server: ServerProcess, prompts: readonly InteractionRequest[]): Promise<Tab> {
  const tab = await server.open();
  const found: string[] = [];
  for (let before: string | undefined; ; ) {
    const { open } = await tab.ask<{ open: { interaction: InteractionRequest }[] }>({
      type: 'list_open',
      limit: 100,
      ...(before !== undefined && { before }),
    });
    found.push(...open.map(({ interaction }) => interaction.interactionId));
    before = open[0]?.interaction.interactionId;
    if (before === undefined) break;
  }
  expect(found.sort()).toEqual(prompts.map(({ interactionId }) => interactionId).sort());
  return tab;
}

export async function expectAnswered(tab: Tab, { session, prompt, tool }: Innocent): Promise<void> {
  await tab.follow(session);
  expect(await tab.answer(session, prompt, { action: 'approve' })).toMatchObject({ ok: true });
  const { payload } = await tab.event(session, 'tool_result');
  expect(payload).toMatchObject({ result: expect.stringMatching(`^${tool} \\d+: approve$`) });
  expect((await tab.event(session, 'turn_end')).payload.status).toBe('completed');
  const types = tab.eventsSinceSnapshot(session).map(({ type }) => type);
  expect(types.filter((type) => type === 'interaction_request')).toHaveLength(1);
}

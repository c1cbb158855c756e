import { expect, onTestFinished, test } from 'vitest';
import { usePostgres } from '../../../../plugins/postgres/test/support/use-postgres.ts';
import { pluginOf } from '../support/plugin-file.ts';
import { ServerProcess } from '../support/server-process.ts';

const minute = 60_000;

/** Asks with a given time to answer. */
const plugin = `
export default {
  name: 'asking',
  tools: [{
    name: 'ask',
    description: 'Asks.',
    parameters: { type: 'object' },
    durable: true,
    handler: async ({ timeoutMs }, ctx) => {
      const { action } = await ctx.requestInteraction({ type: 'approval', title: 'Go on?', timeoutMs });
      return { action: action ?? 'timeout' };
    },
  }],
};
`;

/** Returns code that a process loads first, which shifts its clock by this many ms. */
function setClock(ms: number): string {
  const code = `const Right=Date,now=()=>Right.now()+${ms};globalThis.Date=class Date extends Right{constructor(...at){if(at.length)super(...at);else super(now())}static now(){return now()}}`;
  return `--import=data:text/javascript,${encodeURIComponent(code)}`;
}

/** Starts three nodes on one database, whose clocks are right, a minute ahead and a minute behind. */
async function startThree(): Promise<readonly [ServerProcess, ServerProcess, ServerProcess]> {
  const module = pluginOf(plugin);
  const url = await (await usePostgres()).createDatabase();
  const start = async (ms: number) => {
    const env = { PARLEY_STORE: url, NODE_OPTIONS: setClock(ms) };
    const node = await ServerProcess.start({ plugins: [module], env });
    onTestFinished(() => node.remove());
    return node;
  };
  return [await start(0), await start(minute), await start(-minute)];
}

test('[OPS4, INT10, TEAM4] nodes whose clocks differ by two minutes give a person the configured time, whichever of them asks, and take over only from dead nodes', {
  timeout: 180_000,
}, async () => {
  const [right, ahead, behind] = await startThree();
  const [atRight, atAhead, atBehind] = [await right.open(), await ahead.open(), await behind.open()];
  const tabs = [atRight, atAhead, atBehind];
  const sessionId = await atRight.createSession();
  for (const tab of tabs) {
    await tab.until((frame) => frame.type === 'live' || frame.type === 'session_created' || tab === atRight);
    await tab.follow(sessionId);
  }
  const last = () => atRight.events(sessionId).at(-1)?.seq ?? 0;
  const ask = async (tab: (typeof tabs)[number], timeoutMs: number) => {
    const after = last();
    await tab.say(sessionId, `/call ask ${JSON.stringify({ timeoutMs })}`);
    const prompts = await Promise.all(tabs.map((each) => each.prompt(sessionId, after)));
    return { after, prompt: prompts[0] as (typeof prompts)[number] };
  };
  const ended = (after: number) => Promise.all(tabs.map((tab) => tab.event(sessionId, 'turn_end', undefined, after)));

  for (const asker of tabs) {
    const { after, prompt } = await ask(asker, 30_000);
    const { interactionId } = prompt;
    const other = asker === atAhead ? atBehind : atAhead;
    await other.ask({ type: 'claim_interaction', sessionId, interactionId });
    await Promise.all(
      tabs.map((tab) => tab.until((frame) => frame.type === 'claimed' && frame.interactionId === interactionId)),
    );
    expect(await other.answer(sessionId, prompt, { action: 'approve' })).toMatchObject({ ok: true });
    await ended(after);
  }
  for (const asker of tabs) {
    const { after } = await ask(asker, 2000);
    await ended(after);
  }
  const types = atRight.events(sessionId).map(({ type }) => type);
  expect(types.filter((type) => type === 'interaction_response')).toHaveLength(3);
  expect(types.filter((type) => type === 'interaction_closed')).toHaveLength(3);
  expect(types).not.toContain('turn_resumed');

  const { after, prompt } = await ask(atAhead, 60_000);
  await ahead.kill();
  await atRight.event(sessionId, 'turn_resumed', undefined, after);
  expect(await atBehind.answer(sessionId, prompt, { action: 'approve' })).toMatchObject({ ok: true });
  const result = await atRight.event(sessionId, 'tool_result', undefined, after);
  expect(result.payload).toMatchObject({ result: { action: 'approve' } });
});

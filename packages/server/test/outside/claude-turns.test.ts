import { randomUUID } from 'node:crypto';
import { beforeEach, expect, test } from 'vitest';
import { allowed, ClaudeHooks, decision, undecided, withdrawal } from '../support/claude-hooks.ts';
import type { Tab } from '../support/tab.ts';
import { useServer } from '../support/use-server.ts';

const server = useServer({ args: [] });

let claude: ClaudeHooks;
let tab: Tab;
beforeEach(async () => {
  [claude, tab] = await Promise.all([ClaudeHooks.at(server), server.open({ hello: { token: server.ready.token } })]);
});

const approve = { action: 'approve' };

test.each([
  ['ExitPlanMode', { plan: '# Move', planFilePath: '/plans/move.md' }],
  ['ExitPlanMode', {}],
  ['Write', { file_path: '/projects/shop/a.txt', content: 'a\n' }],
  ['mcp__shop__order', { id: 7, items: [{ sku: 'x' }] }],
])(
  '[APR2, ASK7] the arguments of %s that were shown are returned with the approval: %j',
  async (tool_name, tool_input) => {
    const asking = claude.ask({ tool_name, tool_input });
    const { session, prompt } = await claude.prompt(tab);
    await tab.answer(session.id, prompt, approve);
    expect(await asking).toEqual({ status: 200, body: decision({ behavior: 'allow', updatedInput: tool_input }) });
  },
);

test('[ASK7, WEB7] a card names the folder of the call if it is not that of the session', async () => {
  const cards = async (hook: Promise<unknown>) => {
    const { session, prompt } = await claude.prompt(tab, ({ interactionId }) => !known.has(interactionId));
    known.add(prompt.interactionId);
    await tab.answer(session.id, prompt, approve);
    return [await hook, prompt.prompt ?? ''] as const;
  };
  expect((await cards(claude.ask()))[1]).not.toContain('Folder');
  const part = { tool_name: 'Bash', tool_input: { command: 'npm test' }, cwd: '/projects/shop/deep' };
  const [answer, prompt] = await cards(claude.ask(part));
  expect(prompt).toContain('Folder: /projects/shop/deep.');
  expect(answer).toEqual(allowed);
  expect((await cards(claude.hook('PermissionDenied', part)))[1]).toContain('Folder: /projects/shop/deep.');
  expect((await cards(claude.ask()))[1]).not.toContain('Folder');
});

const agent = (agent_id: string) => ({ agent_id, agent_type: 'general-purpose' });
const ask = async (part: object) => {
  const asking = claude.ask({ tool_input: { command: `echo ${randomUUID()}` }, ...part });
  const asked = await claude.prompt(tab, ({ interactionId }) => !known.has(interactionId));
  known.add(asked.prompt.interactionId);
  return { ...asked, asking };
};
const known = new Set<string>();

test('[ASK7] the end of a turn withdraws the cards of its own agent, and of no other', async () => {
  const [main, first, second] = [await ask({}), await ask(agent('a1')), await ask(agent('a2'))];
  expect(await claude.hook('Stop', { background_tasks: [{ id: 'a1', status: 'running' }] })).toEqual(undecided);
  expect(await main.asking).toEqual(undecided);
  expect(await withdrawal(tab, main)).toMatchObject({ note: 'Answered in the terminal' });
  for (let times = 0; times < 2; times += 1) await claude.hook('SubagentStop', agent('a1'));
  expect(await first.asking).toEqual(undecided);
  expect(await withdrawal(tab, first)).toMatchObject({ note: 'Answered in the terminal' });
  await tab.answer(second.session.id, second.prompt, approve);
  expect(await second.asking).toMatchObject({ body: decision({ behavior: 'allow' }) });
});

test('[ASK7] the end of the session withdraws the cards of all, and a closed connection its own', async () => {
  const closing = new AbortController();
  const [main, first] = [await ask({}), await ask(agent('a1'))];
  const asking = claude.ask(agent('a1'), closing.signal);
  const closed = await claude.prompt(tab, ({ interactionId }) => !known.has(interactionId));
  closing.abort();
  await expect(asking).rejects.toThrow();
  await withdrawal(tab, closed);
  await claude.hook('SessionEnd');
  for (const { asking: ended, ...asked } of [main, first]) {
    expect(await ended).toEqual(undecided);
    expect(await withdrawal(tab, asked)).toMatchObject({ note: 'No longer waiting' });
  }
});

test('[ASK7] the same call of two agents is matched with the right one, and stays announced when the other ends', async () => {
  await claude.announce('toolu_main');
  await claude.announce('toolu_a1', agent('a1'));
  const asking = claude.ask(agent('a1'));
  const { session, prompt } = await claude.prompt(tab);
  expect((await tab.event(session.id, 'tool_call')).payload.args).toMatchObject({ tool_use_id: 'toolu_a1' });
  await claude.hook('Stop');
  await claude.announce('toolu_next', agent('a1'));
  await claude.hook('Stop');
  const next = claude.ask(agent('a1'));
  const again = await claude.prompt(tab, ({ interactionId }) => interactionId !== prompt.interactionId);
  await claude.finish('toolu_next');
  expect(await next).toEqual(undecided);
  expect(await withdrawal(tab, again)).toMatchObject({ note: 'Answered in the terminal' });
  await tab.answer(session.id, prompt, approve);
  expect(await asking).toEqual(allowed);
});

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { Journey } from '../support/journey.ts';
import { pluginOf } from '../support/plugin-file.ts';
import { useServer } from '../support/use-server.ts';

const source = `
  const fields = [{ id: 'pin', type: 'secret', label: 'PIN' }];
  const parameters = { type: 'object' };
  const tool = (name, handler) => ({ name, description: name, parameters, handler });
  const login = async ({ as }, ctx) => {
    const pin = await ctx.requestInteraction({
      type: 'input', inputSchema: { type: 'form', fields }, onResponse: ({ input }) => ({ complete: input.pin }),
    });
    const inner = { toolName: 'show', args: {}, from: 'helper' };
    const hidden = { toJSON: () => pin };
    const calls = {
      args: { ...inner, args: { pin } }, hidden: { ...inner, args: { hidden } }, id: { ...inner, toolCallId: pin },
      name: { ...inner, toolName: pin }, from: { ...inner, from: pin }, nothing: inner,
    };
    return (await ctx.callTool(calls[as])).result;
  };
  export default { name: 'inner', tools: [tool('show', (args) => ({ ran: true, args })), tool('login', login)] };`;

const server = useServer({ plugins: [pluginOf(source)] });
const pin = 'Xq7-Zebra_4711';

async function login(as: string) {
  const journey = await Journey.begin(server);
  const prompt = await journey.ask('login', { as });
  await journey.submit(prompt, { pin });
  const { error, result } = await journey.outcome(prompt);
  await journey.event('turn_end');
  return { journey, error, result };
}

test.each(['args', 'hidden', 'id', 'name', 'from'])(
  '[INT17] a secret is not passed on to an inner call: %s',
  async (as) => {
    const { journey, error } = await login(as);
    expect(error).toMatchObject({ code: 'secret_refused' });
    expect(journey.events('tool_call')).toHaveLength(1);
    expect(JSON.stringify(journey.tab.frames)).not.toContain(pin);
    const files = readdirSync(server.dataDir).filter((name) => name.startsWith('parley.db'));
    for (const name of files) expect(readFileSync(join(server.dataDir, name)).includes(pin)).toBe(false);
  },
);

test('[INT17, AGT7] an inner call without it runs, after a secret was typed', async () => {
  expect((await login('nothing')).result).toEqual({ ran: true, args: {} });
});

import { expect, test } from 'vitest';
import { pluginOf } from '../support/plugin-file.ts';
import { useServer } from '../support/use-server.ts';

const endless = `export default { name: 'endless', tools: [
  { name: 'hang', description: 'Never ends.', parameters: { type: 'object' }, handler: () => new Promise(() => {}) },
  { name: 'block', description: 'Stops the loop.', parameters: { type: 'object' },
    handler() { for (const end = Date.now() + 1000; Date.now() < end; ); return 'blocked'; } },
] };`;

const stuck = { hang: useServer({ plugins: [pluginOf(endless)] }), block: useServer({ plugins: [pluginOf(endless)] }) };
test.concurrent.each(['hang', 'block'] as const)(
  '[OPS3] a handler that does not end (%s) delays the stop by ten seconds at most',
  async (tool) => {
    const server = stuck[tool];
    const tab = await server.open();
    const session = await tab.createSession();
    await tab.follow(session);
    await tab.say(session, `/call ${tool} {}\n/call hang {}`);
    await tab.event(session, 'tool_call');
    const begin = performance.now();
    expect(await server.kill('SIGTERM')).toBe(0);
    expect(performance.now() - begin).toBeLessThan(10_000);
  },
);

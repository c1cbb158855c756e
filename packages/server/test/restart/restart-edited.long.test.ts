import { expect, test } from 'vitest';
import { Journey } from '../support/journey.ts';
import { pluginOf } from '../support/plugin-file.ts';
import { startServer } from '../support/use-server.ts';

const plugin = pluginOf(`
const parameters = {
  '~standard': {
    version: 1,
    vendor: 'own',
    validate: (value) => ({ value: { env: 'production', ...value } }),
    jsonSchema: { input: () => ({ type: 'object' }) },
  },
};
const handler = (args, ctx) => {
  ctx.progress('running');
  return new Promise(() => undefined);
};
export default {
  name: 'deploying',
  tools: [{ name: 'deploy', description: 'Never ends.', parameters, approval: ({ app }) => app !== 'free', handler }],
};
`);

test.each([
  ['read of them', { app: 'free' }, undefined, { app: 'free', env: 'production' }],
  ['read of them and allowed', { app: 'a' }, {}, { app: 'a', env: 'production' }],
  ['edited and allowed', { app: 'a' }, { editedArgs: { app: 'b', env: 'staging' } }, { app: 'b', env: 'staging' }],
])(
  '[APR2, DUR4] the question whether a call runs again shows what would run: what was %s',
  async (_, args, answer, runs) => {
    const server = await startServer({ plugins: [plugin] });
    const journey = await Journey.begin(server);
    if (answer) await journey.answer(await journey.ask('deploy', args), { action: 'approve', ...answer });
    else await journey.call('deploy', args);
    await journey.tab.until((frame) => frame.type === 'stream' && frame.kind === 'tool_output');
    await server.kill();
    await server.restart();
    const again = await journey.join(server);
    const { payload } = await again.event('interaction_request', ({ payload }) => payload.source.kind === 'recovery');
    expect(JSON.parse(payload.subject?.text ?? '')).toEqual(runs);
  },
);

import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { Journey } from '../support/journey.ts';
import { pluginOf } from '../support/plugin-file.ts';
import { ServerProcess } from '../support/server-process.ts';

const plugin = `import { appendFile } from 'node:fs/promises';
import { join } from 'node:path';
let folder;
const agent = (name, forget) => ({ name, forget, async *run() {} });
export default {
  name: 'keeper',
  tools: [],
  agents: [
    agent('sulky', () => { throw new Error('no'); }),
    agent('keeper', (id) => appendFile(join(folder, 'forgotten'), id)),
  ],
  setup(host) { folder = host.dataDir; },
};`;

let server: ServerProcess;
afterEach(() => server.remove());

test('[OPS5] every agent is notified of a deleted session before the reply, even if another one fails', async () => {
  server = await ServerProcess.start({ plugins: [await pluginOf(plugin)] });
  const { tab, session } = await Journey.begin(server);
  await tab.ask({ type: 'delete_session', sessionId: session });
  expect(await readFile(join(server.dataDir, 'plugins/keeper/forgotten'), 'utf8')).toBe(session);
});

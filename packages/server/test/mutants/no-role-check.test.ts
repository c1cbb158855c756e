import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { expect, test } from 'vitest';
import { Bundle, type Mutation } from '../kill-nine/bundle.ts';
import { Tab } from '../support/tab.ts';
import type { Ready } from './guarded-program.ts';

/** No role check on answers: the fault that the plot must find. */
const noRoleCheck: Mutation = {
  file: 'server/src/dispatch.ts',
  from: 'isAllowed: maySend(client.principal, frame) && mayAnswer(client.principal, audience),',
  to: 'isAllowed: true,',
};

/** A viewer answers what the owner is asked. @throws Error where that counts */
async function play(mutations: readonly Mutation[]): Promise<void> {
  const program = await Bundle.make('../mutants/guarded-program.ts', mutations);
  const child = spawn(process.execPath, [program.file], { stdio: ['ignore', 'pipe', 'inherit'] });
  try {
    const [line] = await once(createInterface({ input: child.stdout }), 'line');
    const { port, token, viewer } = JSON.parse(line) as Ready;
    const [owner, onlooker] = await Promise.all(
      [token, viewer].map((each) => Tab.open(`ws://127.0.0.1:${port}/ws`, { hello: { token: each } })),
    );
    const session = await (owner as Tab).createSession();
    await Promise.all([owner, onlooker].map((tab) => (tab as Tab).follow(session)));
    await (owner as Tab).say(session, '/call ask {}');
    const prompt = await (onlooker as Tab).prompt(session);
    const reply = await (onlooker as Tab).answer(session, prompt, { action: 'approve' });
    if (reply.ok || reply.error.code !== 'forbidden') throw new Error(`A viewer answered: ${JSON.stringify(reply)}`);
  } finally {
    child.kill('SIGKILL');
    await program.remove();
  }
}

test('[SEC4, APR6] "no role check on answers" is found out', { timeout: 60_000 }, async () => {
  await play([]);
  await expect(play([noRoleCheck])).rejects.toThrow('A viewer answered');
});

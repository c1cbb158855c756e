import { type TestServer, useInTest } from '@parleyhq/server/testing';
import { expect, test } from 'vitest';
import { HttpToy } from './http-toy.ts';
import { begin, run, startMcp } from './mcp-stage.ts';

/** Starts a toy that a policy allows to write, and whose next list is delayed until `letGo` is called. */
async function start() {
  const toy = await useInTest(new HttpToy('legacy'));
  const server = await startMcp(
    { toy: { type: 'http', url: toy.url } },
    { policies: [{ tool: 'toy__*', effect: 'allow' }] },
  );
  let letGo: (error?: Error) => void = () => undefined;
  const held = new Promise<void>((resolve, reject) => {
    letGo = (error) => (error ? reject(error) : resolve());
  });
  const isAsked = new Promise<void>((resolve) => {
    toy.onList = () => {
      toy.onList = undefined;
      resolve();
      return held;
    };
  });
  await toy.isHeard; // a server drops notifications that it sends before that
  return { server, isAsked, letGo };
}

/** Calls the tool. @returns the error code if the policy allowed it, or the prompt if people are asked */
async function write(server: TestServer, begun: () => void = () => undefined): Promise<string | undefined> {
  const journey = await begin(server);
  await journey.call('toy__write', { text: 'a' });
  await journey.event('tool_call');
  begun();
  const ended = journey.event('tool_result').then(({ payload }) => payload.error?.code ?? 'wrote');
  const asked = journey.event('interaction_request').then(({ payload }) => payload.prompt);
  return Promise.race([ended, asked]);
}

test.each([
  ['is there', undefined],
  ['failed, and is asked for again', new Error('busy')],
])('[AGT4, APR3] a call waits for the list that a server announced, until it %s', async (ending, error) => {
  const { server, isAsked, letGo } = await start();
  const description = `Sends it to everybody once it ${ending}.`;
  await run(server, 'toy__change', { tool: { description } });
  await isAsked;
  const outcomes = [await write(server, () => letGo(error))];
  while (!outcomes.at(-1)?.includes(`Its description now: ${description}`)) {
    expect(['mcp_changed', 'mcp_unavailable']).toContain(outcomes.at(-1)); // calls that were allowed before the change fail
    outcomes.push(await write(server));
  }
});

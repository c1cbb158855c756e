import { openTab } from '@parleyhq/client/process';
import { TestServer, useInFile } from '@parleyhq/server/testing';
import { expect, onTestFinished, test } from 'vitest';
import hello from './hello.mjs';

const server = useInFile(new TestServer({ plugins: [hello] }));

test('[PLG1] greet asks for a name and says it', async () => {
  const tab = await openTab(server);
  onTestFinished(() => tab.close());
  const prompt = await tab.ask('greet');
  await tab.submit(prompt, { name: 'Ada' });
  expect(await tab.result()).toEqual({ result: 'Hello, Ada!' });
});

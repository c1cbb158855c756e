import { methods } from '@agentclientprotocol/sdk';
import { openTab } from '@parleyhq/client/process';
import { definePlugin, defineTool } from '@parleyhq/core';
import { TestServer, useInTest } from '@parleyhq/server/testing';
import { beforeAll, expect, onTestFinished, test } from 'vitest';
import { acpEditor } from '../src/editor/index.ts';
import { AcpClient, chosen, optionsOf } from './acp-client.ts';

const tools = definePlugin({
  name: 'stage',
  tools: [
    defineTool({
      name: 'deploy',
      description: 'Deploys.',
      parameters: { type: 'object' },
      handler: async (args, ctx) => {
        const { approved, scope } = await ctx.approve({
          key: 'deploy',
          title: 'Deploy to production?',
          subject: { kind: 'command', text: 'make deploy' },
          scopes: ['once', 'session', 'always'],
        });
        return { approved, ...(scope && { scope }), args };
      },
    }),
  ],
});

test('[ACP3] try', async () => {
  const server = await useInTest(new TestServer({ plugins: [acpEditor, tools] }));
  const editor = await AcpClient.open(server);
  const sessionId = await editor.create();
  const turn = editor.prompt(sessionId, '/call deploy {}');
  const question = await editor.question(0);
  console.log(JSON.stringify(question.params, null, 1));
  question.answer(chosen('session'));
  console.log(await turn);
  console.log(JSON.stringify(editor.updates, null, 1));
  const other = await AcpClient.open(server);
  console.log(JSON.stringify(await other.load(sessionId)));
  console.log(JSON.stringify(other.updates, null, 1));
  console.log(JSON.stringify(await other.agent.request(methods.agent.session.list, {})));
});

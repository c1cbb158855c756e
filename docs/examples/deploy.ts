import { definePlugin, defineTool } from '@parleyhq/core';
import * as z from 'zod';

/** Shows every option of a request; a real prompt needs only a few. */
const deploy = defineTool({
  name: 'deploy',
  description: 'Deploy a branch, once a person has allowed it; they may change the branch.',
  parameters: z.object({ branch: z.string() }),
  timeoutMs: 30_000,
  onInterrupted: 'fail',
  async handler({ branch }, ctx) {
    const answer = await ctx.requestInteraction({
      type: 'approval',
      key: 'deploy',
      title: 'Deploy?',
      prompt: 'It goes live at once.',
      subject: { kind: 'json', text: JSON.stringify({ branch }, null, 2) },
      risk: 'medium',
      approvalScopes: ['once'],
      editable: true,
      timeoutMs: null,
      presentation: 'questionnaire',
      completedView: { showInputs: false, summaryTemplate: '{{by}}: {{action}}' },
      onUnavailable: 'wait',
    });
    if (answer.action !== 'approve') throw ctx.error('denied', answer.reason ?? 'A person said no.');
    const { branch: chosen } = z.object({ branch: z.string() }).parse(answer.editedArgs ?? { branch });
    ctx.progress(`deploying ${chosen} …\n`);
    return { deployed: chosen };
  },
});

/** Asks for consent to open a URL, which the person sees in full first. */
const connect = defineTool({
  name: 'connect_account',
  description: 'Connect an account of the person in their browser.',
  parameters: z.object({}),
  async handler(_args, ctx) {
    const answer = await ctx.requestInteraction({
      type: 'url',
      title: 'Connect your account',
      url: 'https://accounts.example.org/connect',
      presentation: 'composer',
    });
    return { opened: answer.action === 'approve' };
  },
});

export default definePlugin({ name: 'deploy', tools: [deploy, connect] });

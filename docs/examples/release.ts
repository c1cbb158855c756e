import { definePlugin, defineTool, type InteractionAnswer, type Outcome } from '@parley/core';
import * as z from 'zod';

const publish = defineTool({
  name: 'publish',
  description: 'Publish a version, once a person has allowed it.',
  parameters: z.object({ version: z.string().regex(/^\d+\.\d+\.\d+$/) }),
  async handler({ version }, ctx) {
    const key = ['publish', version];
    if (!(await ctx.approvals.get(key))) {
      const verdict = await ctx.requestInteraction({
        type: 'approval',
        title: `Publish ${version}?`,
        subject: { kind: 'command', text: `npm publish --tag v${version}` },
        risk: 'high',
        approvalScopes: ['once', 'session', 'always'],
        onResponse: judge,
        onTimeout: () => ({ complete: { denied: 'Nobody allowed it in time.' } }),
      });
      const { denied, scope } = verdict as Verdict;
      if (denied !== undefined) throw ctx.error('denied', denied);
      if (scope && scope !== 'once') await ctx.approvals.set(key, scope);
    }
    return { published: version };
  },
});

interface Verdict {
  denied?: string;
  scope?: 'once' | 'session' | 'always';
}

function judge({ action, approvalScope, reason }: InteractionAnswer): Outcome {
  if (action !== 'approve') return { complete: { denied: reason ?? 'A person said no.' } };
  return { complete: { scope: approvalScope } };
}

/** Parley itself asks before this handler runs, and only where the announcement is public. */
const announce = defineTool({
  name: 'announce',
  description: 'Announce a version to a channel.',
  parameters: z.object({ channel: z.enum(['team', 'public']), version: z.string() }),
  approval: ({ channel }) => channel === 'public',
  handler: ({ channel, version }) => `${version} was announced to the ${channel} channel.`,
});

export default definePlugin({ name: 'release', tools: [publish, announce] });

import { definePlugin, defineTool, ToolError } from '@parleyhq/core';
import * as z from 'zod';

const verdict = z.object({ healthy: z.boolean() });

const watchCanary = defineTool({
  name: 'watch_canary',
  description: 'Wait for the checks of a release, unless a person decides first.',
  parameters: z.object({}),
  async handler(_args, ctx) {
    const url = await ctx.callback('checks', { schema: verdict });
    await ctx.step('begin', () => startChecks(url));
    const checked = new AbortController();
    const checks = ctx.waitFor('checks', verdict);
    checks.then(
      () => checked.abort(new ToolError('withdrawn', 'The checks are done.')),
      () => undefined, // a person was first
    );
    try {
      const title = 'Go on without the checks?';
      const { action } = await ctx.requestInteraction({
        type: 'approval',
        title,
        timeoutMs: null,
        signal: checked.signal,
      });
      return action === 'approve' ? 'Released by a person.' : 'Stopped by a person.';
    } catch (error) {
      if (!(error instanceof ToolError) || error.code !== 'withdrawn') throw error;
      return (await checks).healthy ? 'Released: the checks are fine.' : 'Stopped: the checks failed.';
    }
  },
});

/** Stands for a service that checks a release, and posts what it found. */
async function startChecks(_url: string): Promise<void> {}

export default definePlugin({ name: 'canary', tools: [watchCanary] });

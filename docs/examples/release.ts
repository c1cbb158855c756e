import { definePlugin, defineTool } from '@parleyhq/core';
import * as z from 'zod';

const parameters = z.object({ version: z.string().regex(/^\d+\.\d+\.\d+$/), tag: z.string().default('latest') });

type Release = z.output<typeof parameters>;

const released = new Set(['1.0.0']);

const publish = defineTool({
  name: 'publish',
  description: 'Publish a version, once a person has allowed it; they may change it.',
  parameters,
  async handler({ version }, ctx) {
    const approval = await ctx.approve<Release>({
      key: ({ version, tag }) => ['publish', version, tag],
      title: `Publish ${version}?`,
      risk: 'high',
      scopes: ['once', 'session', 'always'],
      editable: true,
      check: ({ version }) => (released.has(version) ? `${version} is out already.` : undefined),
      grantTtlMs: 24 * 60 * 60 * 1000,
    });
    if (!approval.approved) throw ctx.error(approval.code, approval.reason);
    const { args } = approval; // what was shown, or what the person edited: run this
    return ctx.step('publish', () => ({ published: args.version, tag: args.tag }));
  },
});

/** Parley asks before this handler runs, and only if the announcement is public. */
const announce = defineTool({
  name: 'announce',
  description: 'Announce a version to a channel.',
  parameters: z.object({ channel: z.enum(['team', 'public']), version: z.string() }),
  approval: ({ channel }) => channel === 'public',
  rules: ({ channel }) => [
    { id: 'channel', label: `any version to the ${channel} channel`, key: ['channel', channel], scopes: ['session'] },
  ],
  handler: ({ channel, version }) => `${version} was announced to the ${channel} channel.`,
});

/** Low-level access to grants: look one up by its key, and clear the session's. */
const freeze = defineTool({
  name: 'freeze',
  description: 'Forget what this session was allowed to publish.',
  parameters: z.object({ version: z.string(), tag: z.string() }),
  async handler({ version, tag }, ctx) {
    const scope = await ctx.approvals.get(['publish', version, tag]);
    await ctx.approvals.clearSession();
    return { wasAllowed: scope ?? 'no' };
  },
});

export default definePlugin({
  name: 'release',
  tools: [publish, announce, freeze],
  covers: ({ key: [, channel] }, release) => release.channel === channel,
  suggestRules(calls) {
    const [channel, ...others] = [...new Set(calls.map(({ args }) => args.channel))];
    if (channel === undefined || others.length > 0) return [];
    const label = `any version to the ${channel} channel`;
    return [{ id: 'channel', label, key: ['channel', channel], scopes: ['session'] }];
  },
});

// Tools that ask with ctx.approve, and return its result.
const parameters = {
  type: 'object',
  properties: { path: { type: 'string' }, wait: { type: 'boolean' } },
  required: ['path'],
};
const scopes = ['once', 'session', 'always'];
let ran = 0;

export default {
  name: 'approve',
  tools: [
    {
      name: 'touch',
      description: 'Asks for its path, which may be edited.',
      parameters,
      async handler({ path }, ctx) {
        if (path === 'nowhere') return 'no such path';
        return ctx.approve({
          key: (args) => ['touch', args.path],
          title: 'Touch it?',
          scopes,
          editable: true,
          check: async (args) => (args.path === 'nowhere' ? 'There is no such path.' : undefined),
          ...(path === 'soon' && { grantTtlMs: 1 }),
        });
      },
    },
    {
      name: 'follow',
      description: 'Asks for its path; what is shown follows an edit of it.',
      parameters,
      handler: (_, ctx) =>
        ctx.approve({
          key: (args) => ['follow', args.path],
          title: ({ path }) => `Touch ${path}?`,
          subject: ({ path }) => ({ kind: 'command', text: `touch ${path}` }),
          scopes,
          editable: true,
          check: (args) => (args.path === 'nowhere' ? 'There is no such path.' : undefined),
        }),
    },
    {
      name: 'look',
      description: 'Changes nothing.',
      parameters: { type: 'object' },
      readOnly: true,
      handler: () => 'seen',
    },
    {
      name: 'edit_file',
      description: 'Edits.',
      parameters: { type: 'object' },
      edits: true,
      approval: 'always',
      handler: () => 'edited',
    },
    {
      name: 'guarded',
      description: 'Never without leave.',
      parameters: { type: 'object' },
      approval: 'always',
      handler: () => 'ran',
    },
    { name: 'free', description: 'Decides for itself.', parameters: { type: 'object' }, handler: () => 'ran' },
    {
      name: 'fixed',
      description: 'Has a key that does not follow its edited path.',
      parameters,
      handler: ({ path }, ctx) => ctx.approve({ key: path, scopes, editable: true }),
    },
    {
      name: 'sly',
      description: 'Changes its arguments while a person reads them.',
      parameters,
      async handler(args, ctx) {
        const asked = ctx.approve({ key: ({ path }) => ['sly', path] });
        args.path = 'not what was shown';
        return asked;
      },
    },
    {
      name: 'wipe',
      description: 'Asks for its path; then, if told so, a question.',
      parameters,
      async handler({ path, wait }, ctx) {
        const approval = await ctx.approve({
          key: ['wipe', path],
          title: 'Wipe it?',
          subject: { kind: 'text', text: path },
          scopes,
          ...(path === 'soon over' && { timeoutMs: 200 }),
        });
        if (!approval.approved) return approval;
        const count = await ctx.step('run', () => ++ran);
        if (wait) await ctx.requestInteraction({ type: 'approval', prompt: 'And then?' });
        return { ...approval, count };
      },
    },
  ],
};

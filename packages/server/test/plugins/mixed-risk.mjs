// A tool that asks twice, and one whose gate offers rules at every risk: a suggested rule is for the harmless approval alone.
const parameters = {
  type: 'object',
  properties: { path: { type: 'string' }, grave: { type: 'boolean' } },
  required: ['path'],
};
const ofPath = ({ path }) => [{ id: 'path', label: `${path} again`, key: ['path', path], scopes: ['session'] }];

export default {
  name: 'mixed',
  covers: ({ key: [kind, value] }, { path }) => (kind === 'folder' ? path.startsWith(`${value}/`) : path === value),
  suggestRules: ([{ args }]) => {
    const [folder] = args.path.split('/');
    return [
      { id: 'folder', label: `looking at everything in ${folder}`, key: ['folder', folder], scopes: ['session'] },
    ];
  },
  tools: [
    {
      name: 'twice',
      description: 'Asks twice.',
      parameters,
      async handler({ path, grave }, ctx) {
        const look = await ctx.approve({
          key: ['look', path],
          title: `Look at ${path}?`,
          risk: 'low',
          scopes: ['once'],
          suggest: true,
        });
        if (!grave) return { look: look.approved };
        const send = await ctx.approve({
          key: ['send', path],
          title: `Send ${path} to everybody?`,
          risk: 'high',
          scopes: ['once'],
          rules: ofPath({ path }),
        });
        return { look: look.approved, send: send.approved };
      },
    },
    {
      name: 'gated',
      description: 'Asks at the gate.',
      parameters,
      approval: 'always',
      describe: ({ path, grave }) => ({ title: `Change ${path}?`, risk: grave ? 'high' : 'low' }),
      rules: ofPath,
      handler: ({ path }) => path,
    },
  ],
};

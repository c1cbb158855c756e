// Tools whose approvals offer rules: a folder with everything in it.
const parameters = { type: 'object', properties: { path: { type: 'string' } }, required: ['path'] };
const ruleOf = (path) => {
  const [folder] = path.split('/');
  return { id: 'folder', label: `everything in ${folder}`, key: ['folder', folder], scopes: ['session', 'always'] };
};

export default {
  name: 'rules',
  covers({ key: [kind, folder] }, { path }) {
    if (folder === 'throws') throw new Error('covers is broken');
    if (folder === 'words') return 'yes';
    return kind === 'folder' && path.startsWith(`${folder}/`);
  },
  tools: [
    {
      name: 'wipe',
      description: 'Asks for itself.',
      parameters,
      handler: ({ path }, ctx) => ctx.approve({ key: ['wipe', path], scopes: ['once'], rules: [ruleOf(path)] }),
    },
    {
      name: 'wipe_twice',
      description: 'Asks for itself, and then for something that no rule was offered for.',
      parameters,
      async handler({ path }, ctx) {
        const first = await ctx.approve({ key: ['first', path], rules: [ruleOf(path)] });
        const second = await ctx.approve({ key: ['second', path], title: 'And this?' });
        return [first.approved, second.approved];
      },
    },
    {
      name: 'bare',
      description: 'Offers no rule.',
      parameters,
      handler: ({ path }, ctx) => ctx.approve({ key: path }),
    },
    {
      name: 'gated',
      description: 'Is asked about at the gate.',
      parameters,
      approval: 'always',
      rules: ({ path }) => [ruleOf(path)],
      handler: ({ path }) => path,
    },
    {
      name: 'edited',
      description: 'Is asked about at the gate, and then asks for itself.',
      parameters,
      approval: 'always',
      handler: ({ path }, ctx) =>
        ctx.approve({ key: path, subject: { kind: 'text', text: `Wipe ${path}` }, rules: [ruleOf(path)] }),
    },
    {
      name: 'worded',
      description: 'Tells the gate what it is going to ask, and then asks that, or more.',
      parameters,
      describe: ({ path }) =>
        path === 'typo'
          ? { titel: 'Wipe?' }
          : { title: 'Wipe?', prompt: `At ${path}.`, subject: { kind: 'text', text: `rm ${path}` }, risk: 'medium' },
      handler: ({ path }, ctx) =>
        ctx.approve({
          key: path,
          title: path === 'title' ? 'Wipe all?' : 'Wipe?',
          prompt: path === 'prompt' ? 'At /.' : `At ${path}.`,
          subject: { kind: 'text', text: path === 'subject' ? 'rm /' : `rm ${path}` },
          risk: path === 'risk' ? 'high' : 'medium',
        }),
    },
    {
      name: 'unannounced',
      description: 'Asks about its arguments, in words or at a risk that the gate does not know.',
      parameters,
      handler: ({ path }, ctx) => ctx.approve({ key: path, [path]: path === 'risk' ? 'high' : 'Harmless.' }),
    },
    {
      name: 'confident',
      description: 'Asks what the gate asked, or more.',
      parameters,
      async handler({ path }, ctx) {
        const audience = path === 'operators' ? { role: 'operator', principals: ['nobody'] } : undefined;
        const text = path === 'more' ? 'and the backups' : path;
        return ctx.approve({ key: path, subject: { kind: 'text', text }, ...(audience && { audience }) });
      },
    },
  ],
};

// Tools that suggest rules: a folder with everything in it, or everything.
const parameters = { type: 'object', properties: { path: { type: 'string' } }, required: ['path'] };
const folderOf = ({ args: { path } }) => path.split('/')[0];

const ask = (more) => ({
  description: 'Asks for itself.',
  parameters,
  handler: ({ path }, ctx) =>
    ctx.approve({
      key: [path],
      scopes: ['once'],
      suggest: true,
      subject: { kind: 'text', text: `rm ${path}` },
      ...more,
    }),
});

export default {
  name: 'suggesting',
  covers({ key: [kind, folder] }, { path }) {
    if (kind === 'all') return path !== 'secret/b';
    return kind === 'folder' && path.startsWith(`${folder}/`) && !path.includes('..');
  },
  suggestRules(calls) {
    const [folder, ...others] = [...new Set(calls.map(folderOf))];
    const one = {
      id: 'folder',
      label: `everything in ${folder}`,
      key: ['folder', folder],
      scopes: ['session', 'always'],
    };
    const all = { id: 'all', label: 'everything', key: ['all'], scopes: ['session'] };
    return others.length === 0 ? [one, all] : [all];
  },
  tools: [
    { ...ask({}), name: 'sweep' },
    { ...ask({ risk: 'high' }), name: 'sweep_high' },
    { ...ask({ suggest: false }), name: 'sweep_bare' },
    { ...ask({}), name: 'sweep_voted' },
    {
      name: 'sweep_gated',
      description: 'Is asked about at the gate.',
      parameters,
      approval: 'always',
      handler: ({ path }) => path,
    },
  ],
};

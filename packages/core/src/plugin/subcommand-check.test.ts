import { expect, test } from 'vitest';
import type { Plugin } from './plugin.ts';
import type { Subcommand } from './subcommand.ts';
import { checkSubcommands } from './subcommand-check.ts';

const run = () => undefined;
const deploy: Subcommand = { name: 'deploy', summary: 'deploy a version', run };
const pluginWith = (commands: unknown, name = 'ci'): Plugin => ({
  name,
  tools: [],
  commands: commands as Subcommand[],
});
const option = { flag: '--region <name>', summary: 'where' };
const argument = { name: 'version', summary: 'which' };

test.each<[string, unknown]>([
  ['its "commands" must be a list of commands.', { deploy }],
  ['command 1: it must be an object.', ['deploy']],
  ['command 2: it has no "name", which must be letters in lower case', [deploy, { ...deploy, name: undefined }]],
  ['command "Deploy": its "name" must be', [{ ...deploy, name: 'Deploy' }]],
  ['command "token create": its "name" must be', [{ ...deploy, name: 'token create' }]],
  ['command "--deploy": its "name" must be', [{ ...deploy, name: '--deploy' }]],
  ['command "deploy": there is no "sumary". Did you mean "summary"?', [{ ...deploy, sumary: 'x' }]],
  ['command "deploy": its "summary" must be a line of text.', [{ ...deploy, summary: ' ' }]],
  ['command "deploy": its "run" must be a function.', [{ ...deploy, run: 'deploy.js' }]],
  ['command "deploy": its "options" must be a list of options.', [{ ...deploy, options: { region: option } }]],
  ['option 1: it must be an object.', [{ ...deploy, options: ['--region'] }]],
  ...['region', '-r', '--Region', '--no-cache', '--region <name', '--region [name]'].map((flag): [string, unknown] => [
    'command "deploy": option 1: its "flag" must be "--" and a name',
    [{ ...deploy, options: [{ ...option, flag }] }],
  ]),
  ['option 1: its "choices" must be a list of texts.', [{ ...deploy, options: [{ ...option, choices: [1] }] }]],
  ['option 2: it has --region already.', [{ ...deploy, options: [option, { ...option, flag: '--region' }] }]],
  ['option 1: it has --config already.', [{ ...deploy, options: [{ ...option, flag: '--config <file>' }] }]],
  ['option 1: it has --yes already.', [{ ...deploy, name: 'connect ci', options: [{ ...option, flag: '--yes' }] }]],
  ['argument 1: there is no "flag".', [{ ...deploy, arguments: [option] }]],
  ['argument 1: its "name" must be', [{ ...deploy, arguments: [{ ...argument, name: '<version>' }] }]],
  [
    'argument 1: only the last one may take the rest.',
    [
      {
        ...deploy,
        arguments: [
          { ...argument, rest: true },
          { ...argument, name: 'tag' },
        ],
      },
    ],
  ],
  [
    'argument 1: only the last one may be optional.',
    [
      {
        ...deploy,
        arguments: [
          { ...argument, optional: true },
          { ...argument, name: 'other' },
        ],
      },
    ],
  ],
  ['command "deploy": the plugin has two commands of this name.', [deploy, deploy]],
])('[PLG15, PLG8] an author reads: %s', (words, commands) => {
  expect(() => checkSubcommands(pluginWith(commands))).toThrow(words);
  expect(() => checkSubcommands(pluginWith(commands))).toThrow('Plugin "ci": ');
});

test('[PLG15, PLG2] a name belongs to one plugin, and none of Parley’s own', () => {
  const ci = pluginWith([deploy]);
  expect(() => checkSubcommands(ci, [pluginWith([deploy], 'other')])).toThrow(
    'Plugin "ci": command "deploy": plugin "other" has a command of this name, too.',
  );
  expect(() => checkSubcommands(ci, [], ['deploy'])).toThrow('"parley deploy" is a command of Parley itself.');
});

test('[PLG15] what a command may have', () => {
  const whole: Subcommand = {
    ...deploy,
    arguments: [argument, { name: 'tag', summary: 'its name', optional: true, choices: ['a', 'b'] }],
    options: [option, { flag: '--yes', summary: 'at once' }],
    examples: ['parley deploy 1.2.3'],
    exitCodes: '0 deployed; 2 wrong usage; 3 refused',
  };
  const wrapper: Subcommand = {
    ...deploy,
    name: 'wrap',
    arguments: [argument, { ...argument, name: 'rest', rest: true }],
  };
  const connect: Subcommand = {
    ...deploy,
    name: 'connect my-editor',
    options: [{ flag: '--port <n>', summary: 'its own' }],
  };
  checkSubcommands(pluginWith([whole, wrapper, connect, { ...deploy, name: 'disconnect my-editor' }]), [
    pluginWith(undefined, 'other'),
  ]);
});

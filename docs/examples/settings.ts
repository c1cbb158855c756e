import { definePlugin, defineTool } from '@parleyhq/core';
import * as z from 'zod';

const parameters = z.object({ name: z.enum(['replicas', 'region']), value: z.string().min(1) });

type Change = z.output<typeof parameters>;

/** Stands for the file that the tool changes. */
const settings = new Map([
  ['replicas', '2'],
  ['region', 'eu'],
]);

const toDiff = ({ name, value }: Change) =>
  `--- a/settings\n+++ b/settings\n@@ -1 +1 @@\n-${name}: ${settings.get(name)}\n+${name}: ${value}\n`;

const changeSetting = defineTool({
  name: 'change_setting',
  description: 'Change a setting, once a person has seen the difference.',
  parameters,
  async handler(_args, ctx) {
    const approval = await ctx.approve<Change>({
      key: ({ name, value }) => ['change', name, value],
      title: ({ name }) => `Change ${name}?`,
      subject: (change) => ({ kind: 'diff', text: toDiff(change) }),
      editable: true,
      check: ({ name, value }) => (settings.get(name) === value ? `${name} is ${value} already.` : undefined),
    });
    if (!approval.approved) throw ctx.error(approval.code, approval.reason);
    const { name, value } = approval.args; // what was shown, or what the person edited
    await ctx.step('change', () => void settings.set(name, value));
    return { name, value };
  },
});

export default definePlugin({ name: 'settings', tools: [changeSetting] });

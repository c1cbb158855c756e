import { definePlugin, defineTool, type FormSchema } from '@parleyhq/core';
import * as z from 'zod';

const machines = ['Press 1', 'Press 2', 'Saw'];

const whichMachine: FormSchema = {
  type: 'form',
  fields: [{ id: 'machine', type: 'text', label: 'Machine', required: true }],
};

/** The same question with the machines that were meant, as choices. */
const whichOf = (found: readonly string[]): FormSchema => ({
  type: 'form',
  fields: [
    {
      id: 'machine',
      type: 'radio',
      label: 'Machine',
      required: true,
      options: found.map((name) => ({ value: name, label: name })),
    },
  ],
});

const reportFault = defineTool({
  name: 'report_fault',
  description: 'Report a fault of a machine with the person who found it.',
  parameters: z.object({}),
  async handler(_args, ctx) {
    const { machine } = await ctx.requestInteraction({
      type: 'input',
      key: 'machine',
      title: 'Report a fault',
      prompt: 'Which machine is it?',
      inputSchema: whichMachine,
      onResponse({ action, input = {} }) {
        if (action === 'cancel') throw ctx.error('cancelled', 'Nothing is reported.');
        const typed = String(input.machine);
        const found = machines.filter((name) => name.toLowerCase().includes(typed.toLowerCase()));
        if (found.length === 1) return { complete: { machine: found[0] } };
        if (found.length === 0) return { reprompt: { fieldErrors: { machine: `There is no "${typed}".` } } };
        return { reprompt: { prompt: 'Which of these?', inputSchema: whichOf(found), initialValues: {} } };
      },
      onTimeout() {
        throw ctx.error('timeout', 'Nobody said which machine.');
      },
    });
    const title = `What is wrong with ${machine}?`;
    const { words } = await ctx.ask('words', z.object({ words: z.string().meta({ title: 'Fault' }) }), { title });
    if (words.length >= 20) return { machine, fault: words };

    const detail = z.object({ more: z.string().meta({ title: 'Details', multiline: true }) });
    const { more } = await ctx.ask('more', detail, { title, prompt: `You wrote "${words}". What did you see?` });
    return { machine, fault: `${words}: ${more}` };
  },
});

export default definePlugin({ name: 'fault', tools: [reportFault] });

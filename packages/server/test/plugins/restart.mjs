// Tools that can be interrupted at every place. What runs is written to the file `effects` in the data folder.
import { appendFileSync, existsSync } from 'node:fs';
import { join } from 'node:path';

let folder = '';
const note = (line) => appendFileSync(join(folder, 'effects'), `${line}\n`);
const until = async (name) => {
  while (!existsSync(join(folder, name))) await new Promise((resolve) => setTimeout(resolve, 5));
};

const parameters = { type: 'object' };
const ask = (id, more = {}) => ({
  type: 'input',
  prompt: `${id}?`,
  inputSchema: { type: 'form', fields: [{ id, type: 'text' }] },
  ...more,
});

/** Runs until a test releases it. */
const working = (name, more = {}) => ({
  name,
  description: 'Works for a while.',
  parameters,
  ...more,
  async handler() {
    note(`${name} ran`);
    await until('worked');
    return 'worked';
  },
});

/** Takes the answer without a hook, and acts on it. */
const plain = (name, more = {}) => ({
  name,
  description: 'A question without a hook.',
  parameters,
  ...more,
  async handler(_, ctx) {
    const { input } = await ctx.requestInteraction(ask('what'));
    note(`${name} heard ${input.what}`);
    await until('worked');
    return input.what;
  },
});

export default {
  name: 'scripted',
  setup(host) {
    folder = host.dataDir;
  },
  tools: [
    {
      name: 'wizard',
      description: 'Three questions, one after the other, without keys.',
      parameters,
      async handler(_, ctx) {
        note('wizard entered');
        const answers = [];
        for (const id of ['first', 'second', 'third']) {
          const onResponse = ({ input }) => {
            note(`wizard heard ${id}`);
            return input[id] === 'again' ? { reprompt: { error: 'again' } } : { complete: input[id] };
          };
          answers.push(await ctx.requestInteraction(ask(id, { onResponse })));
        }
        return answers;
      },
    },
    {
      name: 'branches',
      description: 'Three questions at once, with keys.',
      parameters,
      handler: (_, ctx) =>
        Promise.all(
          ['a', 'b', 'c'].map((key) =>
            ctx.requestInteraction(
              ask(key, {
                key,
                onResponse: ({ input }) => {
                  note(`branches heard ${key}`);
                  return { complete: input[key] };
                },
              }),
            ),
          ),
        ),
    },
    {
      name: 'later',
      description: 'A question that a person may put off, then another one.',
      parameters,
      async handler(_, ctx) {
        const onResponse = () => ({ pending: { message: 'put off' } });
        const onLateResponse = ({ input }) => ({ text: `late: ${input.off}` });
        const first = await ctx.requestInteraction(ask('off', { onResponse, onLateResponse }));
        return [
          first,
          await ctx.requestInteraction(ask('on', { onResponse: ({ input }) => ({ complete: input.on }) })),
        ];
      },
    },
    {
      name: 'deadline',
      description: 'A question with a short time.',
      parameters,
      handler: (_, ctx) =>
        ctx.requestInteraction(
          ask('quick', {
            timeoutMs: 300,
            onTimeout: () => {
              note('deadline timed out');
              return { complete: 'timeout' };
            },
          }),
        ),
    },
    {
      name: 'acting',
      description: 'Acts on an answer for a while.',
      parameters,
      handler: (_, ctx) =>
        ctx.requestInteraction(
          ask('what', {
            onResponse: async ({ input }) => {
              note(`acting on ${input.what}`);
              await until('acted');
              return { complete: `did ${input.what}` };
            },
          }),
        ),
    },
    plain('plain'),
    plain('plainRetrying', { onInterrupted: 'retry' }),
    {
      name: 'plainPair',
      description: 'Two questions at once, without hooks.',
      parameters,
      handler: (_, ctx) => Promise.all(['a', 'b'].map((key) => ctx.requestInteraction(ask(key, { key })))),
    },
    working('working'),
    working('reading', { readOnly: true }),
    working('retrying', { onInterrupted: 'retry' }),
    working('failing', { onInterrupted: 'fail' }),
    {
      name: 'fragile',
      description: 'Asks, and cannot go on after a restart.',
      parameters,
      durable: false,
      handler: (_, ctx) => ctx.requestInteraction(ask('now')),
    },
    {
      name: 'crashing',
      description: 'Takes the server with it.',
      parameters,
      readOnly: true,
      async handler() {
        note('crashing ran');
        if (existsSync(join(folder, 'armed'))) process.kill(process.pid, 'SIGKILL');
        await until('never');
      },
    },
  ],
};

// A plugin as its author writes one: a plain value, no import of Parley (PLG1). What its tool asks and what its hooks do
// stands in the call's arguments; what it did stands in a file, so that a test sees it from outside.
import { appendFileSync, existsSync } from 'node:fs';
import { join } from 'node:path';

let folder = '';

const note = (line) => appendFileSync(join(folder, 'effects'), `${line}\n`);

/** Waits for a file that a test creates. */
async function until(name) {
  while (!existsSync(join(folder, name))) await new Promise((resolve) => setTimeout(resolve, 5));
}

/** The n-th step of a script; the last one repeats. `$answer` stands for the hook's argument. */
function player(name, script, notes) {
  let played = 0;
  return async (answer) => {
    const step = script[Math.min(played, script.length - 1)];
    played += 1;
    if (notes) note(`${notes} ${name}`);
    if (step.until) await until(step.until);
    if (step.hang) await new Promise(() => {});
    if (step.throw) throw step.throw.code ? step.throw : new Error(step.throw.message);
    return JSON.parse(JSON.stringify(step.return ?? null), (_, value) => (value === '$answer' ? answer : value));
  };
}

const hookNames = ['onResponse', 'onTimeout', 'onCancel', 'onLateResponse'];

function demandOf({ request, notes, ...scripts }) {
  const hooks = hookNames.flatMap((name) => (scripts[name] ? [[name, player(name, scripts[name], notes)]] : []));
  return { ...request, ...Object.fromEntries(hooks) };
}

export default {
  name: 'scripted',
  version: '1.2.3',
  setup(host) {
    folder = host.dataDir;
  },
  tools: [
    {
      name: 'scripted',
      description: 'Asks what its arguments say.',
      parameters: { type: 'object' },
      handler: (args, ctx) => ctx.requestInteraction(demandOf(args)),
    },
    {
      name: 'impatient',
      description: 'The same with little time of its own.',
      parameters: { type: 'object' },
      timeoutMs: 150,
      handler: (args, ctx) => ctx.requestInteraction(demandOf(args)),
    },
    {
      name: 'catching',
      description: 'Asks, and returns the error instead of throwing it.',
      parameters: { type: 'object' },
      async handler(args, ctx) {
        const code = await ctx.requestInteraction(demandOf(args)).then(
          () => 'none',
          (error) => error.code,
        );
        if (args.next) await ctx.requestInteraction(demandOf(args.next));
        return { code };
      },
    },
    {
      name: 'parallel',
      description: 'Asks all of its prompts at once.',
      parameters: { type: 'object', properties: { demands: { type: 'array' } }, required: ['demands'] },
      handler: ({ demands }, ctx) =>
        Promise.all(demands.map((demand) => ctx.requestInteraction(demandOf(demand)).catch(({ code }) => ({ code })))),
    },
    {
      name: 'hasty',
      description: 'Ends with its prompt open.',
      parameters: { type: 'object' },
      handler(args, ctx) {
        ctx.requestInteraction(demandOf(args));
        return new Promise((resolve, reject) => {
          setTimeout(() => (args.fails ? reject(new Error('gone')) : resolve('gone')), 20);
        });
      },
    },
    {
      name: 'stubborn',
      description: 'Goes on after its call was closed, and notes what it is told.',
      parameters: { type: 'object' },
      async handler(args, ctx) {
        const attempt = async (name, act) => {
          const said = await Promise.resolve()
            .then(act)
            .then(
              () => 'went on',
              (error) => error.code,
            );
          note(`${args.notes} ${name}: ${said}`);
        };
        ctx.signal.addEventListener('abort', () => note(`${args.notes} abort`));
        await attempt('open prompt', () => ctx.requestInteraction(demandOf(args)));
        await attempt('ask', () => ctx.requestInteraction(args.request));
        await attempt('step', () => ctx.step('late', () => 1));
        await attempt('grant', () => ctx.approvals.set('late', 'session'));
        await attempt('state', () => ctx.state.set('late', 1));
        await attempt('file', () => ctx.openFile(args.file));
        ctx.progress('late');
        note(`${args.notes} end`);
        return 'late';
      },
    },
    {
      name: 'count',
      description: 'Counts who could answer, now and again when a file is there.',
      parameters: { type: 'object' },
      async handler({ files }, ctx) {
        const counts = [];
        for (const file of ['', ...files]) {
          if (file) await until(file);
          counts.push({ ...ctx.interaction, available: ctx.interaction.available });
          note(`counted ${counts.length}`);
        }
        return counts;
      },
    },
  ],
};

import { expect, test } from 'vitest';
import { compile, kit, run, useTarballs } from './support/tarballs.ts';

const tarballs = useTarballs();

test.each([
  ['3.25.76', 'zod/v4'],
  ['4.0.17', 'zod'],
  ['4.1.12', 'zod'],
  ['4.6.7', 'zod'],
])(
  '[PLG9, PLG12] core plays a tool whose schemas are of zod %s, typed',
  async (version, entry) => {
    const project = await tarballs.project(`zod-${version}`, { 'use.mts': useCore.replace("'zod'", `'${entry}'`) });
    await tarballs.install(project, ...kit, 'packages/client', `zod@${version}`);
    const options = { types: [], lib: ['es2023', 'dom'] };
    await compile(project, { ...options, module: 'esnext', moduleResolution: 'bundler' });
    await compile(project, { ...options, module: 'node16', noEmit: false, outDir: 'out' });
    const { stdout } = await run(process.execPath, ['out/use.mjs'], { cwd: project });
    expect(stdout).toBe('{"result":3}\n');
  },
  300_000,
);

const valibotSchemas = `import { toStandardJsonSchema } from '@valibot/to-json-schema';
import * as v from 'valibot';

const parameters = toStandardJsonSchema(v.object({ to: v.number() }));
const asked = toStandardJsonSchema(v.object({ number: v.pipe(v.number(), v.minValue(1)) }));
`;

const arktypeSchemas = `import { type } from 'arktype';

const parameters = type({ to: 'number' });
const asked = type({ number: 'number >= 1' });
`;

test.each([
  ['valibot', ['valibot@1.5.0', '@valibot/to-json-schema@1.8.0'], valibotSchemas],
  ['arktype', ['arktype@2.2.9'], arktypeSchemas],
])(
  '[PLG9, PLG12] core plays a tool whose schemas are of %s, typed, and without zod installed',
  async (name, packages, schemas) => {
    const source = useCore.replace("import * as z from 'zod';\n", schemas);
    const project = await tarballs.project(name, { 'use.mts': withSchemas(source) });
    await tarballs.install(project, ...kit, 'packages/client', ...packages);
    const options = { types: [], lib: ['es2023', 'dom'], skipLibCheck: true }; // arktype's own types want those of Node
    await compile(project, { ...options, module: 'esnext', moduleResolution: 'bundler' });
    await compile(project, { ...options, module: 'node16', noEmit: false, outDir: 'out' });
    const { stdout } = await run(process.execPath, ['out/use.mjs'], { cwd: project });
    expect(stdout).toBe('{"result":3}\n');
  },
);

/** Replaces the schemas of the tool by `parameters` and `asked`. */
function withSchemas(source: string): string {
  const schema = "z.object({ number: z.number().meta({ title: 'Number' }) })";
  return source.replace('{ to: z.number() }', 'parameters').replace(schema, 'asked');
}

/** A tool and its test, as an author writes them who has only the packages. */
const useCore = `import { defineTool } from '@parleyhq/core';
import { playTool, submit } from '@parleyhq/core/testing';
import * as z from 'zod';

const tool = defineTool({
  name: 'add',
  description: 'Adds.',
  parameters: { to: z.number() },
  async handler({ to }, ctx) {
    const { number } = await ctx.ask('n', z.object({ number: z.number().meta({ title: 'Number' }) }));
    const sum: number = to + number;
    return sum;
  },
});
const play = playTool(tool, { args: { to: 1 }, human: [submit({ number: 2 })] });
console.log(JSON.stringify(await play.end()));
`;

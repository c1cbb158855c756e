import { appendFile } from 'node:fs/promises';
import { join } from 'node:path';
import { definePlugin, defineTool, type InteractionAnswer } from '@parley/core';
import * as z from 'zod';

let folder = '';

const importRows = defineTool({
  name: 'import_rows',
  description: 'Import rows, once a person has allowed it.',
  parameters: z.object({ rows: z.int().positive() }),
  async handler({ rows }, ctx) {
    await note('counted'); // before the prompt: runs again after a restart, so it must bear that
    const answer = await ctx.requestInteraction({ type: 'approval', title: `Import ${rows} rows?`, timeoutMs: null });
    if ((answer as InteractionAnswer).action !== 'approve') throw ctx.error('denied', 'Not imported.');
    const mark = `imported ${ctx.toolCallId}`;
    if (await ctx.state.get(mark)) return 'Imported before the restart.';
    await note(`imported ${rows}`);
    await ctx.state.set(mark, true); // what must not happen twice leaves a mark
    return `${rows} rows were imported.`;
  },
});

const note = (line: string) => appendFile(join(folder, 'import.log'), `${line}\n`);

export default definePlugin({
  name: 'import',
  tools: [importRows],
  setup({ dataDir }) {
    folder = dataDir;
  },
});

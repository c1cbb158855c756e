import { appendFile } from 'node:fs/promises';
import { join } from 'node:path';
import { definePlugin, defineTool } from '@parleyhq/core';
import * as z from 'zod';

let folder = '';

const importRows = defineTool({
  name: 'import_rows',
  description: 'Import rows, once a person has allowed it.',
  parameters: z.object({ rows: z.int().positive() }),
  async handler({ rows }, ctx) {
    await note('counted'); // outside a step: runs again when the call is entered again
    if (!(await ctx.confirm('import', `Import ${rows} rows?`))) throw ctx.error('denied', 'Not imported.');
    await ctx.step('import', () => note(`imported ${rows}`)); // recorded: runs only once
    const isAnnounced = await ctx.confirm('announce', 'Announce it to the team?');
    return { imported: rows, isAnnounced };
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

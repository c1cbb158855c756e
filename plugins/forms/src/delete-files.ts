import { defineTool } from '@parleyhq/core';
import * as z from 'zod';
import { isFileName, type Scratch } from './scratch.ts';

/** Deletes nothing that a person has not allowed by name, now or earlier. */
export function createDeleteFiles(scratch: Scratch) {
  return defineTool({
    name: 'delete_files',
    description: 'Delete files of the scratch folder, once a person has allowed it.',
    parameters: z.object({ files: z.array(z.string()).min(1).max(100).describe('Names of files, without folders.') }),
    async handler({ files }, ctx) {
      const names = [...new Set(files)];
      const strange = names.find((name) => !isFileName(name));
      if (strange !== undefined) throw ctx.error('invalid_args', `"${strange}" is no name of a file in the folder.`);

      const approval = await ctx.approve({
        key: ['delete_files', ...names.toSorted()], // exactly these files: a grant for some is none for others
        title: `Delete ${names.length === 1 ? '1 file' : `${names.length} files`}?`,
        prompt:
          'This deletes them from the scratch folder for good. ' +
          'Allowing it for longer than once allows deleting exactly these names again, and no others.',
        subject: { kind: 'text', text: names.join('\n') },
        risk: 'high',
        scopes: ['once', 'session', 'always'],
      });
      if (!approval.approved) {
        if (approval.code === 'timeout') return { ok: false, error: 'timeout' };
        return { ok: false, denied: true, reason: approval.reason };
      }
      const { deleted, missing } = await ctx.step('delete', () => scratch.remove(names));
      return { ok: true, deleted, ...(missing.length > 0 && { missing }) };
    },
  });
}

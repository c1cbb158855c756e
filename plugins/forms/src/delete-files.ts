import { type CallDescription, defineTool } from '@parleyhq/core';
import * as z from 'zod';
import { isFileName, type Scratch } from './scratch.ts';

/** Deletes only files that a person has approved by name, now or earlier. */
export function createDeleteFiles(scratch: Scratch) {
  return defineTool({
    name: 'delete_files',
    description: 'Delete files from the scratch folder, once a person has approved it.',
    parameters: z.object({ files: z.array(z.string()).min(1).max(100).describe('File names, without folders.') }),
    hibernates: true, // safe because files are deleted within a step
    describe: ({ files }) => describeDeletion(distinct(files)),
    async handler({ files }, ctx) {
      const names = distinct(files);
      const invalid = names.find((name) => !isFileName(name));
      if (invalid !== undefined) throw ctx.error('invalid_args', `"${invalid}" is not a valid file name.`);

      const approval = await ctx.approve({
        key: ['delete_files', ...names.toSorted()], // a grant covers exactly these files
        ...describeDeletion(names),
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

function distinct(files: readonly string[]): string[] {
  return [...new Set(files)];
}

function describeDeletion(names: readonly string[]): CallDescription {
  return {
    title: `Delete ${names.length === 1 ? '1 file' : `${names.length} files`}?`,
    prompt:
      'Permanently deletes the following from the scratch folder. ' +
      'An approval beyond once covers exactly these names, and no others.',
    subject: { kind: 'text', text: names.join('\n') },
    risk: 'high',
  };
}

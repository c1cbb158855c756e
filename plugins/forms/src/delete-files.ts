import { type AskedCall, type CallDescription, defineTool, type OfferedRule, type Rule } from '@parleyhq/core';
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
        suggest: true,
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

/** Endings of files that programs leave behind, and make again if they need them. */
const leftovers = ['tmp', 'cache'];

function endingOf(name: string): string {
  return name.slice(name.lastIndexOf('.') + 1);
}

function isLeftover(name: string): boolean {
  return isFileName(name) && name.includes('.') && leftovers.includes(endingOf(name));
}

/** Suggests deleting files with the one ending that all of these calls have in common, if programs leave such files behind (LESS2). */
export function suggestDeletions(calls: readonly AskedCall[]): readonly OfferedRule[] {
  const names: readonly string[] = calls.flatMap(({ args }) => args.files);
  const [ending, ...others] = [...new Set(names.map(endingOf))];
  if (calls.some(({ toolName }) => toolName !== 'delete_files') || others.length > 0) return [];
  if (ending === undefined || !names.every(isLeftover)) return [];
  const label = `deleting files of the scratch folder whose names end in \`.${ending}\``;
  return [{ id: 'ending', label, key: ['ending', ending], scopes: ['session'] }];
}

/** Whether such a rule covers the deletion of all these files. */
export function coversDeletion({ key }: Rule, { files }: { readonly files: readonly string[] }): boolean {
  return (
    Array.isArray(key) && key[0] === 'ending' && files.every((name) => isLeftover(name) && endingOf(name) === key[1])
  );
}

function distinct(files: readonly string[]): string[] {
  return [...new Set(files)];
}

function describeDeletion(names: readonly string[]): CallDescription {
  return {
    title: `Delete ${names.length === 1 ? '1 file' : `${names.length} files`}?`,
    prompt:
      'Permanently deletes the following from the scratch folder. ' +
      'An approval for longer than one time covers exactly these names, and no others.',
    subject: { kind: 'text', text: names.join('\n') },
    risk: names.every(isLeftover) ? 'medium' : 'high',
  };
}

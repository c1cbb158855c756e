import {
  type ApprovalScope,
  defineTool,
  type GrantKey,
  type InteractionAnswer,
  type Outcome,
  type ToolContext,
} from '@parley/core';
import * as z from 'zod';
import { isFileName, type Scratch } from './scratch.ts';

type Verdict =
  | { readonly ok: true; readonly scope: ApprovalScope }
  | { readonly ok: false; readonly denied: true; readonly reason: string }
  | { readonly ok: false; readonly error: 'timeout' };

/** Deletes nothing that a person has not allowed by name, now or earlier in the session. */
export function createDeleteFiles(scratch: Scratch) {
  return defineTool({
    name: 'delete_files',
    description: 'Delete files of the scratch folder, once a person has allowed it.',
    parameters: z.object({ files: z.array(z.string()).min(1).max(100).describe('Names of files, without folders.') }),
    async handler({ files }, ctx) {
      const names = [...new Set(files)];
      const strange = names.find((name) => !isFileName(name));
      if (strange !== undefined) throw ctx.error('invalid_args', `"${strange}" is no name of a file in the folder.`);

      // Exactly these files: a grant for some is none for others.
      const key: GrantKey = ['delete_files', ...names.toSorted()];
      if (!(await ctx.approvals.get(key))) {
        const verdict = await askLeave(names, ctx);
        if (!verdict.ok) return verdict;
        if (verdict.scope !== 'once') await ctx.approvals.set(key, verdict.scope);
      }
      const { deleted, missing } = await scratch.remove(names);
      return { ok: true, deleted, ...(missing.length > 0 && { missing }) };
    },
  });
}

async function askLeave(names: readonly string[], ctx: ToolContext): Promise<Verdict> {
  const files = names.length === 1 ? '1 file' : `${names.length} files`;
  const verdict = await ctx.requestInteraction({
    type: 'approval',
    title: `Delete ${files}?`,
    prompt:
      'This deletes them from the scratch folder for good. ' +
      'Allowing it for longer than once allows deleting exactly these names again, and no others.',
    subject: { kind: 'text', text: names.join('\n') },
    risk: 'high',
    approvalScopes: ['once', 'session', 'always'],
    onResponse: judge,
  });
  return verdict as Verdict;
}

function judge({ action, approvalScope = 'once', reason }: InteractionAnswer): Outcome {
  if (action === 'approve') return { complete: { ok: true, scope: approvalScope } };
  return { complete: { ok: false, denied: true, reason: reason ?? 'No reason was given.' } };
}

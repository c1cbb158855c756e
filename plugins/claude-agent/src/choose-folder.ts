import {
  defineTool,
  type FormSchema,
  type InteractionAnswer,
  isRecord,
  type Outcome,
  type TurnInput,
} from '@parleyhq/core';
import type { CallContext } from './call-context.ts';
import { chooseFolderName, findFolder, keepFolder, readFolder } from './chosen-folder.ts';
import { sessionFolder, type WorkspaceOptions } from './workspace.ts';

/** The tool that asks where to work, once per session. The agent calls it before its first message; the model never sees it. */
export function makeChooseFolder(desk: CallContext, read: () => WorkspaceOptions) {
  return defineTool({
    name: chooseFolderName,
    description: 'Let a person choose the folder in which the session works.',
    parameters: { type: 'object' },
    readOnly: true, // asking again after a restart is harmless
    timeoutMs: desk.timeoutMs,
    async handler(_, ctx) {
      const { folders = [] } = read();
      const place = sessionFolder(ctx.sessionId, read());
      const known = await readFolder(place, folders);
      if (known !== undefined) return known; // the folder cannot change: Claude Code stores the conversation by it
      const chosen = await ctx.requestInteraction({
        type: 'input',
        key: 'folder',
        title: 'Which folder should Claude Code work in?',
        inputSchema: toForm(folders),
        initialValues: folders.length === 1 ? { root: folders[0] as string } : {},
        timeoutMs: desk.promptTimeoutMs,
        onUnavailable: 'wait',
        onResponse: (answer) => judge(folders, answer),
      });
      if (isRecord(chosen) && chosen.error === 'timeout') throw ctx.error('timeout', 'Nobody chose a folder in time.');
      if (typeof chosen !== 'string') throw ctx.error('cancelled', 'The person chose no folder.');
      await keepFolder(place, chosen);
      return chosen;
    },
  });
}

function toForm(folders: readonly string[]): FormSchema {
  return {
    type: 'form',
    submitLabel: 'Work here',
    fields: [
      {
        id: 'root',
        type: 'select',
        label: 'Folder',
        required: true,
        options: folders.map((folder) => ({ value: folder, label: folder })),
      },
      {
        id: 'below',
        type: 'text',
        label: 'A folder below it',
        description: 'Its path from there, if not the folder itself.',
      },
    ],
  };
}

async function judge(folders: readonly string[], { action, input = {} }: InteractionAnswer): Promise<Outcome> {
  if (action !== 'submit') return { complete: null };
  const root = folders.find((folder) => folder === input.root);
  const chosen = root === undefined ? undefined : await findFolder(root, String(input.below ?? ''));
  if (chosen !== undefined) return { complete: chosen };
  const words = 'There is no such folder, or working in it is not allowed.';
  return { reprompt: { error: words, fieldErrors: { below: words } } };
}

/** Whether the session still needs a folder. @throws ToolError `folder_refused` as `readFolder` does */
export async function needsFolder(sessionId: string, options: WorkspaceOptions): Promise<boolean> {
  const { folders } = options;
  return folders !== undefined && (await readFolder(sessionFolder(sessionId, options), folders)) === undefined;
}

/** Whether this turn has already asked for the folder. */
export async function hasAsked(turn: TurnInput): Promise<boolean> {
  const events = await turn.read(turn.startSeq);
  return events.some(
    (event) =>
      event.type === 'tool_call' && event.turnId === turn.turnId && event.payload.toolName === chooseFolderName,
  );
}

import type { EditDesk, FollowEdit } from '@parleyhq/core';
import type { RegisteredTool } from '../tools/tool-registry.ts';
import { describeCall } from './call-description.ts';
import type { CallWriter } from './call-writer.ts';
import { editKey, type Journal } from './journal.ts';

export interface EditOptions {
  readonly parts: { readonly journal: Journal; readonly writer: Pick<CallWriter, 'record'> };
  readonly registered: Pick<RegisteredTool, 'tool' | 'read'>;
  /** How long the tool may take for its `describe`. */
  readonly limitMs: number;
  readonly follow?: FollowEdit | undefined;
}

/** What the edits of a slot's prompt are judged with, and remembered over a restart. */
export function makeEditDesk(slot: string, { parts, registered, limitMs, follow }: EditOptions): EditDesk {
  return {
    read: registered.read,
    describe: (args) => describeCall(registered, args, limitMs),
    follow,
    record: ({ written, json }) => parts.writer.record(editKey(slot), [written, json]),
    recall() {
      const last = parts.journal.find(slot)?.last.request;
      const edit = last?.editable === false ? parts.journal.editOf(slot) : undefined;
      if (!last || !edit) return undefined;
      const { interactionId, title, prompt, subject, risk } = last;
      return { interactionId, ...edit, shown: { title, prompt, subject, risk } };
    },
  };
}

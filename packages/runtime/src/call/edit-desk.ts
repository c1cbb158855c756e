import type { EditHandlers, FollowEdit } from '@parleyhq/core';
import type { RegisteredTool } from '../tools/tool-registry.ts';
import type { Asker } from './asker.ts';
import { describeCall } from './call-description.ts';
import type { CallWriter } from './call-writer.ts';
import { editKey, type Journal } from './journal.ts';

export interface EditOptions {
  readonly parts: { readonly journal: Journal; readonly writer: Pick<CallWriter, 'record'> };
  readonly registered: Pick<RegisteredTool, 'tool' | 'read'>;
  readonly asker: Pick<Asker, 'markOf'>;
  /** Time allowed to the tool's `describe`, in ms. */
  readonly limitMs: number;
  readonly follow?: FollowEdit | undefined;
}

/** Makes the functions that judge edits of a slot's prompt and remember them over a restart. */
export function makeEditDesk(slot: string, { parts, registered, asker, limitMs, follow }: EditOptions): EditHandlers {
  return {
    read: registered.read,
    describe: (args) => describeCall(registered, args, limitMs),
    follow,
    escapesPasskey: (risk) => asker.markOf('high').stepUp === true && !asker.markOf(risk).stepUp,
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

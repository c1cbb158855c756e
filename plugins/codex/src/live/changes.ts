import { toSubject, toTitle } from '@parleyhq/claude-tools';
import { isRecord, type Subject } from '@parleyhq/core';
import * as z from 'zod';
import { oneLine } from './words.ts';

const changeSchema = z.looseObject({
  path: z.string().min(1),
  kind: z.discriminatedUnion('type', [
    z.looseObject({ type: z.literal('add') }),
    z.looseObject({ type: z.literal('delete') }),
    z.looseObject({ type: z.literal('update'), move_path: z.string().nullish() }),
  ]),
  diff: z.string(),
});

/** A change of one file, as an item of Codex names it. The `diff` of a new or deleted file is its content. */
export type Change = z.infer<typeof changeSchema>;

/** Reads the changes of an item. Undefined if it has none, or one that cannot be shown. */
export function readChanges(item: unknown): readonly Change[] | undefined {
  const changes = isRecord(item) ? z.array(changeSchema).min(1).safeParse(item.changes).data : undefined;
  const hasContent = ({ kind: { type, move_path: moved }, diff }: Change & { kind: { move_path?: unknown } }) =>
    type !== 'update' || diff !== '' || moved != null;
  return changes?.every(hasContent) ? changes : undefined;
}

/** Shows every change as a diff, whole. */
export function showChanges(changes: readonly Change[]): Subject {
  return { kind: 'diff', text: changes.map(showChange).join('\n') };
}

function showChange({ path, kind, diff }: Change): string {
  const name = oneLine(path);
  switch (kind.type) {
    case 'add':
      return toSubject('Write', { file_path: path, content: diff }).text;
    case 'delete': {
      const lines = diff.replace(/\n$/, '').split('\n');
      return [`--- ${name}`, '+++ /dev/null', `@@ -1,${lines.length} +0,0 @@`, ...lines.map((line) => `-${line}`)].join(
        '\n',
      );
    }
    case 'update': {
      const target = kind.move_path == null ? name : oneLine(kind.move_path);
      return [`--- ${name}`, `+++ ${target}`, diff.replace(/\n$/, '')].join('\n');
    }
    default:
      return kind satisfies never;
  }
}

/** Names the first file, and how many follow. */
export function titleOfChanges(changes: readonly Change[]): string {
  const [first, ...more] = changes;
  if (!first) return 'Change files';
  const title =
    first.kind.type === 'delete'
      ? toTitle('Edit', { file_path: first.path }).replace(/^Change/, 'Delete')
      : toTitle(first.kind.type === 'add' ? 'Write' : 'Edit', { file_path: first.path });
  return more.length === 0 ? title : `${title} and ${more.length} more`;
}

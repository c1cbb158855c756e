import { isSelf, type Self } from '../ui/actor.ts';
import type { Row } from './rows.ts';

/**
 * Whether screen readers should announce a new row: others' messages and errors. Prompts announce themselves once; calls are too
 * many to announce.
 */
export function isNews(row: Row, self: Self): boolean {
  if (row.kind !== 'item') return row.kind === 'tool' && row.item.call?.payload.toolName === 'tell_human';
  const { item } = row;
  switch (item.kind) {
    case 'message':
      return item.sent?.payload.from !== undefined && !isSelf(item.sent.payload.from, self);
    case 'turn':
      return item.end?.payload.status === 'error';
    case 'thinking':
      return false;
    case 'text':
    case 'change':
    case 'error':
    case 'opaque':
      return true;
    default:
      return item satisfies never;
  }
}

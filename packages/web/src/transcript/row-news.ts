import { isSelf, type Self } from '../ui/who.ts';
import type { Row } from './rows.ts';

/**
 * Whether a new row is worth telling to who listens: what others say and what went wrong. Prompts tell of themselves, once; calls
 * come by the dozen and are there to be looked up.
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

import {
  findHiddenCalls,
  type InteractionItem,
  type Item,
  type Items,
  isVisible,
  listItems,
  presentationOf,
  type Seq,
  stateOf,
  type ToolItem,
} from '@parleyhq/core';
import { type Chain, findChains } from '../prompt/chain.ts';

interface Place {
  readonly key: string;
  /** Position of the row in the transcript. */
  readonly seq: Seq;
}

/** A row of the transcript. */
export type Row = Place &
  (
    | { readonly kind: 'item'; readonly item: Exclude<Item, ToolItem | InteractionItem> }
    | { readonly kind: 'tool'; readonly item: ToolItem; readonly chains: readonly Chain[] }
    | { readonly kind: 'prompt'; readonly chain: Chain; readonly tool: ToolItem | undefined }
  );

/** Whether a prompt is docked above the message box, as composer prompts are until they are settled (WEB2). */
export function isDocked({ current }: Chain): boolean {
  const state = stateOf(current);
  return presentationOf(current) === 'composer' && state !== 'answered' && state !== 'closed';
}

/** The rows of the transcript, and the docked prompts. */
export interface Found {
  readonly rows: readonly Row[];
  readonly docked: readonly Chain[];
}

const known = new WeakMap<Items, Found>();

/** Returns the result of `findRows`, cached for the same items, because several parts of the page need it in every update. */
export function rowsOf(items: Items): Found {
  const found = known.get(items) ?? findRows(listItems(items));
  known.set(items, found);
  return found;
}

/**
 * Returns the rows of the transcript, and the docked prompts. A prompt is shown in its tool's block; questionnaires, and prompts
 * whose tool call is not loaded yet, are rows of their own. A tool that only asked questionnaires has no block (WEB2).
 */
export function findRows(items: readonly Item[]): Found {
  const hidden = findHiddenCalls(items);
  const isShown = ({ request }: InteractionItem) => !hidden.has(request?.payload.toolCallId ?? '');
  const chains = findChains(items.filter((item) => item.kind === 'interaction').filter(isShown));
  const tools = new Map(items.flatMap((item) => (item.kind === 'tool' && item.call ? [[item.key, item]] : [])));
  const byTool = new Map<string, Chain[]>();
  const alone = new Map<string, Chain>();
  for (const chain of chains) {
    const tool = `tool:${chain.current.request.payload.toolCallId}`;
    if (presentationOf(chain.current) === 'questionnaire' || !tools.has(tool)) {
      alone.set(`interaction:${(chain.steps[0] ?? chain.current).interactionId}`, chain);
    } else byTool.set(tool, [...(byTool.get(tool) ?? []), chain]);
  }
  const asked = new Set([...alone.values()].map(({ current }) => `tool:${current.request.payload.toolCallId}`));
  const rows = items.flatMap((item): Row[] => {
    if (item.kind === 'interaction') {
      const chain = alone.get(item.key);
      if (!chain || isDocked(chain)) return [];
      const tool = tools.get(`tool:${chain.current.request.payload.toolCallId}`);
      return [{ kind: 'prompt', key: `prompt:${chain.root}`, seq: item.seq, chain, tool }];
    }
    if (!isVisible(item)) return [];
    const { key, seq } = item;
    if (item.kind !== 'tool') {
      return item.kind === 'message' && !item.sent && item.hidden !== 'sent' ? [] : [{ kind: 'item', key, seq, item }];
    }
    const own = byTool.get(key) ?? [];
    return own.length === 0 && asked.has(key) ? [] : [{ kind: 'tool', key, seq, item, chains: own }];
  });
  return { rows, docked: chains.filter(isDocked) };
}

/** Whether a prompt is shown in a row. @param root - id of its first attempt */
export function hasChain(row: Row, root: string): boolean {
  if (row.kind === 'item') return false;
  return row.kind === 'tool' ? row.chains.some((chain) => chain.root === root) : row.chain.root === root;
}

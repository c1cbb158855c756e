import { describeResponse, foldText, type InteractionItem, type Item, type Payload } from '@parleyhq/core';
import type { Chain } from '../prompt/chain.ts';
import { writeOutput } from './output-text.ts';
import { writeReadably } from './readable-json.ts';
import type { Row } from './rows.ts';

/** Returns all readable text of a row, normalised for searching. A row is a new object only if it changed. */
export function searchTextOf(row: Row): string {
  return foldText(textsOf(row).join('\n'));
}

function textsOf(row: Row): readonly string[] {
  switch (row.kind) {
    case 'item':
      return textsOfItem(row.item);
    case 'prompt':
      return textsOfChain(row.chain);
    case 'tool': {
      const { call, result, isHidden } = row.item;
      if (isHidden || !call) return [];
      const { toolName, args } = call.payload;
      return [
        toolName,
        writeReadably(args),
        ...(result ? [result.payload.error?.message ?? writeOutput(result.payload.result)] : []),
        ...row.chains.flatMap(textsOfChain),
      ];
    }
    default:
      return row satisfies never;
  }
}

function textsOfItem(item: Item): readonly string[] {
  switch (item.kind) {
    case 'message':
      return item.sent ? textsOfMessage(item.sent.payload) : [];
    case 'text':
      return [item.text.payload.text];
    case 'thinking':
      return [item.thinking.payload.text];
    case 'error':
      return [item.error.payload.message];
    default:
      return [];
  }
}

const textsOfMessage = ({ text, files = [] }: Payload<'user_message'>) => [text, ...files.map(({ name }) => name)];

const textsOfChain = ({ steps, current }: Chain): readonly string[] => [...steps, current].flatMap(textsOfPrompt);

function textsOfPrompt({ request, response }: InteractionItem): readonly string[] {
  if (!request) return [];
  const { title = '', prompt = '', subject, toolName } = request.payload;
  const answer = response ? [describeResponse(request.payload, response.payload), response.payload.reason ?? ''] : [];
  return [toolName, title, prompt, subject?.text ?? '', ...answer];
}

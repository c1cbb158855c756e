import { fenceCode } from '@parleyhq/core';
import type { Block } from './params.ts';
import { RpcError, rpcCodes } from './rpc.ts';

/** What `initialize` says about prompts; other blocks are refused. */
export const promptCapabilities = { image: false, audio: false, embeddedContext: true } as const;

/** Returns a prompt as the text of a message. @throws RpcError for a block that was not announced, and for a prompt without words */
export function toMessageText(prompt: readonly Block[]): string {
  const text = prompt.map(describeBlock).join('').trim();
  if (text === '') throw new RpcError(rpcCodes.invalidParams, 'The prompt has no text.');
  return text;
}

function describeBlock(block: Block): string {
  switch (block.type) {
    case 'text':
      return block.text;
    case 'resource_link':
      return `[${block.title ?? block.name}](${block.uri})`;
    case 'resource':
      if (block.resource.text === undefined) throw refuse('files that are not text');
      return `\n\n${block.resource.uri}\n${fenceCode(block.resource.text)}\n\n`;
    case 'image':
    case 'audio':
      throw refuse(`${block.type} blocks`);
    default:
      return block satisfies never;
  }
}

function refuse(what: string): RpcError {
  return new RpcError(
    rpcCodes.invalidParams,
    `A prompt cannot have ${what} here: attach them on the page of the session.`,
  );
}

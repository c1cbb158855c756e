import { type FileReference, isPicture, type TurnInput } from '@parleyhq/core';
import type { Initialized, PromptBlock } from './sdk.ts';

/** Largest file that is sent whole, and all of a prompt, in bytes; the rest are only named. The protocol takes 32 MiB, encoded. */
const [maxBytes, maxTotal] = [4 * 1024 * 1024, 12 * 1024 * 1024];

/**
 * Returns a prompt: what people wrote, and of what they attached the images and texts, as far as the agent takes them. The text names
 * every file (REV6).
 */
export async function toPrompt(
  { openFile }: Pick<TurnInput, 'openFile'>,
  { text, files }: { readonly text: string; readonly files: readonly FileReference[] },
  { agentCapabilities }: Pick<Initialized, 'agentCapabilities'>,
): Promise<PromptBlock[]> {
  const { image = false, embeddedContext = false } = agentCapabilities?.promptCapabilities ?? {};
  const isTaken = (file: FileReference) => (image && isPicture(file)) || (embeddedContext && isText(file));
  const blocks: PromptBlock[] = [{ type: 'text', text }];
  for (const file of chooseNewest(files.filter(isTaken))) {
    const stream = await openFile(file);
    if (stream) blocks.push(toBlock(file, Buffer.from(await new Response(stream).arrayBuffer())));
  }
  return blocks;
}

const isText = ({ mediaType }: FileReference): boolean => mediaType.startsWith('text/');

/** Returns the newest files that fit into a prompt, in their order. */
function chooseNewest(files: readonly FileReference[]): readonly FileReference[] {
  let total = 0;
  const fits = ({ size }: FileReference) => {
    total += size;
    return total <= maxTotal;
  };
  const small = files.filter(({ size }) => size <= maxBytes).reverse();
  const first = small.findIndex((file) => !fits(file));
  return (first < 0 ? small : small.slice(0, first)).reverse();
}

function toBlock(file: FileReference, bytes: Buffer): PromptBlock {
  const { fileId, name, mediaType: mimeType } = file;
  if (!isText(file)) return { type: 'image', mimeType, data: bytes.toString('base64') };
  const uri = `attached:/${fileId}/${encodeURIComponent(name)}`;
  return { type: 'resource', resource: { uri, mimeType, text: bytes.toString() } };
}

import { type FileReference, isPicture, type TurnInput } from '@parleyhq/core';
import type { Initialized, PromptBlock } from './sdk.ts';

/** Largest file that is sent whole, in bytes; a larger one is only named. */
const maxBytes = 4 * 1024 * 1024;

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
  const toBlock = async (file: FileReference): Promise<PromptBlock[]> => {
    const { fileId, name, mediaType, size } = file;
    const isText = mediaType.startsWith('text/');
    if (size > maxBytes || !((image && isPicture(file)) || (embeddedContext && isText))) return [];
    const stream = await openFile(file);
    if (!stream) return [];
    const bytes = Buffer.from(await new Response(stream).arrayBuffer());
    if (!isText) return [{ type: 'image', mimeType: mediaType, data: bytes.toString('base64') }];
    const uri = `attached:/${fileId}/${encodeURIComponent(name)}`;
    return [{ type: 'resource', resource: { uri, mimeType: mediaType, text: bytes.toString() } }];
  };
  return [{ type: 'text', text }, ...(await Promise.all(files.map(toBlock))).flat()];
}

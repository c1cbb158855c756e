import { type FileReference, isPicture, splitMedia, type TurnInput } from '@parleyhq/core';
import type { ContentBlockParam, ImageBlockParam } from './messages-client.ts';

/** Largest image that is read, in bytes: the API accepts 5 MB of base64. */
const maxBytes = 3_700_000;

/** Images that are read for a request at most, and their bytes: more than these would be left out of it again. */
const maxImages = 20;
const maxTotal = 15_000_000;

/** Chooses the newest attached images of a conversation that fit into a request. @returns their file ids */
export function chooseAttached(files: readonly FileReference[]): ReadonlySet<string> {
  const chosen = new Set<string>();
  let total = 0;
  for (const file of files.filter((file) => isPicture(file) && file.size <= maxBytes).reverse()) {
    total += file.size;
    if (chosen.size === maxImages || total > maxTotal) break;
    chosen.add(file.fileId);
  }
  return chosen;
}

/** Returns the chosen ones of the attached images that the model can look at, in order; any other file is only named to it (REV6). */
export async function readAttached(
  { openFile }: Pick<TurnInput, 'openFile'>,
  chosen: ReadonlySet<string>,
  files: readonly FileReference[] = [],
): Promise<ContentBlockParam[]> {
  const pictures = files.filter(({ fileId }) => chosen.has(fileId));
  const blocks = await Promise.all(
    pictures.map(async (file) => {
      const bytes = await openFile(file);
      if (!bytes) return [];
      const data = Buffer.from(await new Response(bytes).arrayBuffer()).toString('base64');
      const { media } = splitMedia({ content: [{ type: 'image', mimeType: file.mediaType, data }] });
      const images = media.flatMap((one) => (one.kind === 'image' ? [toImage(one)] : []));
      return images.length === 0 ? [] : [{ type: 'text' as const, text: `Attached, ${file.name}:` }, ...images];
    }),
  );
  return blocks.flat();
}

/** Returns an image block: as text, its base64 would cost a hundred times as much and show the model nothing. */
export function toImage({
  mimeType,
  data,
}: {
  readonly mimeType: 'image/png' | 'image/jpeg' | 'image/gif' | 'image/webp';
  readonly data: string;
}): ImageBlockParam {
  return { type: 'image', source: { type: 'base64', media_type: mimeType, data } };
}

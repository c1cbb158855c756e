import type { ContentBlockParam, ImageBlockParam, MessageParam } from './messages-client.ts';

/** Maximum number of images in a request: with more, the API accepts only small ones. */
const maxImages = 20;
/** Maximum size of all images, in characters of base64: a request may have at most 32 MB. */
const maxData = 20_000_000;
/** Images left out at a time, as long as more are left: each removal invalidates the provider's prompt cache from that point on. */
const leftOutAtOnce = 10;

/**
 * Keeps the newest images of a conversation and replaces older ones by text, because tools and people may give any number of them (AGT4).
 */
export function keepNewestImages(messages: readonly MessageParam[]): MessageParam[] {
  const sizes = messages.flatMap(({ content }) => content.flatMap(imagesOf)).map(sizeOf);
  let leftOut = 0;
  while (isTooMuch(sizes.slice(leftOut))) leftOut += sizes.length - leftOut > leftOutAtOnce ? leftOutAtOnce : 1;
  if (leftOut === 0) return [...messages];
  let seen = 0;
  const keep = (block: ImageBlockParam) => {
    seen += 1;
    return seen > leftOut ? block : said;
  };
  return messages.map((message) => ({ ...message, content: message.content.map((block) => mapImages(block, keep)) }));
}

function sizeOf({ source }: ImageBlockParam): number {
  return source.type === 'base64' ? source.data.length : 0; // we send no other kind
}

const said = { type: 'text', text: '[an image that is left out here: newer ones are shown]' } as const;

function isTooMuch(sizes: readonly number[]): boolean {
  return sizes.length > maxImages || sizes.reduce((sum, size) => sum + size, 0) > maxData;
}

function imagesOf(block: ContentBlockParam): ImageBlockParam[] {
  if (block.type === 'image') return [block];
  if (block.type !== 'tool_result' || typeof block.content === 'string') return [];
  return (block.content ?? []).filter((each) => each.type === 'image');
}

function mapImages(
  block: ContentBlockParam,
  map: (image: ImageBlockParam) => ImageBlockParam | typeof said,
): ContentBlockParam {
  if (block.type === 'image') return map(block);
  if (imagesOf(block).length === 0 || block.type !== 'tool_result' || typeof block.content === 'string') return block;
  return { ...block, content: (block.content ?? []).map((each) => (each.type === 'image' ? map(each) : each)) };
}

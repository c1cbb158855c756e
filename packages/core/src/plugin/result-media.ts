import { isRecord, type Json } from '../basics/json.ts';
import { measureImage } from '../form/image-size.ts';

/** Images that browsers and models read and that are nothing but pixels: SVG is a document, and is none of them. */
const rasterTypes = ['image/png', 'image/jpeg', 'image/gif', 'image/webp'] as const;
type RasterType = (typeof rasterTypes)[number];

/** In characters of base64: what is larger is named, and neither shown nor handed on. */
const maxData = 6_000_000;
const maxMedia = 20;
/** In pixels: the API takes no image that is wider or higher, and a browser would unpack it. */
const maxSide = 8000;

/** What a tool returned that is no text, in the way of MCP's content blocks. */
export type ResultMedia = { readonly data: string } & (
  | { readonly kind: 'image'; readonly mimeType: RasterType }
  | { readonly kind: 'file'; readonly mimeType: string }
);

/** A result, and what of it is no text: in its place stand words that name it. */
export interface SplitResult {
  readonly media: readonly ResultMedia[];
  readonly rest: Json;
}

/** @param result - as a tool returned it: of `{ content: […] }` the blocks of images, audio, resources and links are told apart (AGT4) */
export function splitMedia(result: Json): SplitResult {
  if (!isRecord(result) || !Array.isArray(result.content)) return { media: [], rest: result };
  const media: ResultMedia[] = [];
  const content = result.content.map((block): Json => {
    if (!isRecord(block)) return block;
    if (block.type === 'resource_link') return text(`[link: ${block.name} ${block.uri}]`);
    const found = readMedia(block);
    if (!found) return block;
    const { kind, mimeType, data } = found.media;
    const size = `${mimeType}, ${Math.ceil((data.length * 3) / 4 / 1000)} kB`;
    const isTaken = data.length <= maxData && media.length < maxMedia && found.side <= maxSide;
    if (!isTaken) return text(`[${kind}: ${size}, too large to show]`);
    media.push(found.media);
    return text(`[${kind} ${media.length}: ${size}]`);
  });
  return { media, rest: { ...result, content } };
}

interface FoundMedia {
  readonly media: ResultMedia;
  /** The longer one of an image, in pixels; 0 for what is none. */
  readonly side: number;
}

/** What calls itself an image and is none, by its first bytes, is a file. */
function readMedia({ type, mimeType, data }: Readonly<Record<string, Json>>): FoundMedia | undefined {
  if (type !== 'image' && type !== 'audio' && type !== 'resource') return undefined;
  if (typeof data !== 'string' || !/^[A-Za-z0-9+/]+={0,2}$/.test(data)) return undefined;
  const raster = rasterTypes.find((each) => each === mimeType);
  const size = raster && measureImage(raster, data);
  if (size) return { media: { kind: 'image', mimeType: raster, data }, side: Math.max(size.width, size.height) };
  const known =
    !raster && typeof mimeType === 'string' && /^[\w.+-]+\/[\w.+-]+$/.test(mimeType) ? mimeType : 'unknown type';
  return { media: { kind: 'file', mimeType: known, data }, side: 0 };
}

function text(words: string): Json {
  return { type: 'text', text: words };
}

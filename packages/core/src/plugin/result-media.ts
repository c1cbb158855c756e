import { isRecord, type Json } from '../basics/json.ts';
import { measureImage } from '../form/image-size.ts';

/** Raster images that browsers and models can read. Excludes SVG, which is a document. */
const rasterTypes = ['image/png', 'image/jpeg', 'image/gif', 'image/webp'] as const;
type RasterType = (typeof rasterTypes)[number];

/** Limit in characters of base64: larger media are replaced by a description. */
const maxData = 6_000_000;
const maxMedia = 20;
/** Limit in pixels: model APIs reject wider or higher images, and a browser would decode them. */
const maxSide = 8000;

/** An image or file in a tool's result, in the form of MCP's content blocks. */
export type ResultMedia = { readonly data: string } & (
  | { readonly kind: 'image'; readonly mimeType: RasterType }
  | { readonly kind: 'file'; readonly mimeType: string }
);

/** A result split into its media and the rest, which describes each in its place. */
export interface SplitResult {
  readonly media: readonly ResultMedia[];
  readonly rest: Json;
}

/**
 * Splits the images, audio, resources and links of an MCP result, `{ content: […] }`, from its text (AGT4). @param result - as a
 * tool returned it
 */
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
  /** The longer side of an image, in pixels; 0 for anything else. */
  readonly side: number;
}

/** Reads a content block. A declared image whose first bytes disagree is treated as a file. */
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

import { judgeMediaType } from './media-type.ts';

/** Size in pixels. */
export interface ImageSize {
  readonly width: number;
  readonly height: number;
}

/** Limit in characters of base64: a JPEG states its size before this, even after a camera's metadata. */
const most = 400_000;
const little = 64;

/**
 * Reads an image's size from its first bytes.
 * @param mimeType - type of a raster image
 * @param data - in base64
 * @returns undefined if the data is not of this type, or has no size
 */
export function measureImage(mimeType: string, data: string): ImageSize | undefined {
  const bytes = decode(data.slice(0, mimeType === 'image/jpeg' ? most : little));
  if (!bytes || judgeMediaType('', bytes) !== mimeType) return undefined;
  const size = measures[mimeType]?.(new DataView(bytes.buffer));
  return size && size.width > 0 && size.height > 0 ? size : undefined;
}

type Measure = (view: DataView) => ImageSize | undefined;

const measures: Readonly<Record<string, Measure>> = {
  'image/png': whole(24, (view) => ({ width: view.getUint32(16), height: view.getUint32(20) })),
  'image/gif': whole(10, (view) => ({ width: view.getUint16(6, true), height: view.getUint16(8, true) })),
  'image/webp': whole(30, measureWebp),
  'image/jpeg': measureJpeg,
};

/** Wraps a measure so that it returns undefined if fewer bytes are available. */
function whole(bytes: number, measure: Measure): Measure {
  return (view) => (view.byteLength < bytes ? undefined : measure(view));
}

/** Reads the size in the three WebP formats (RFC 9649). */
function measureWebp(view: DataView): ImageSize | undefined {
  const kind = String.fromCharCode(...[12, 13, 14, 15].map((at) => view.getUint8(at)));
  if (kind === 'VP8 ') return { width: view.getUint16(26, true) & 0x3fff, height: view.getUint16(28, true) & 0x3fff };
  if (kind === 'VP8L') {
    const bits = view.getUint32(21, true);
    return { width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1 };
  }
  if (kind !== 'VP8X') return undefined;
  const read24 = (at: number) => view.getUint16(at, true) + view.getUint8(at + 2) * 0x10000;
  return { width: read24(24) + 1, height: read24(27) + 1 };
}

/** Reads the size from the frame header, which follows any number of segments with a length each (ITU-T T.81, B). */
function measureJpeg(view: DataView): ImageSize | undefined {
  let at = 2;
  while (at + 9 <= view.byteLength && view.getUint8(at) === 0xff) {
    const marker = view.getUint8(at + 1);
    if (isFrame(marker)) return { width: view.getUint16(at + 7), height: view.getUint16(at + 5) };
    if (marker === 0xff) at += 1;
    else at += 2 + Math.max(2, view.getUint16(at + 2));
  }
  return undefined;
}

/** Whether a marker starts a frame; three markers in that range start tables. */
function isFrame(marker: number): boolean {
  return marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker);
}

function decode(data: string): Uint8Array<ArrayBuffer> | undefined {
  try {
    const text = atob(data.slice(0, data.length - (data.length % 4 === 1 ? 1 : 0)));
    return Uint8Array.from(text, (character) => character.charCodeAt(0));
  } catch {
    return undefined; // not base64
  }
}

import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import pixelmatch from 'pixelmatch';
import type { Page } from 'playwright-core';
import sharp from 'sharp';

const folder = fileURLToPath(new URL('pictures/', import.meta.url));

/** Share of the picture that may differ: each release of a browser renders letters a little differently. */
const tolerance = 0.01;

/** How far apart two colours may be, from 0 to 1. */
const threshold = 0.2;

export const pathOf = (state: string, variant: string): string =>
  `${folder}${state.replace(/[^a-z0-9]+/gi, '-')}.${variant}.webp`;

export const takePicture = (page: Page): Promise<Buffer> => page.screenshot({ animations: 'disabled', caret: 'hide' });

/** Stores a picture as the accepted one, as small as its colours allow: the repository has hundreds of them. */
export async function acceptPicture(picture: Buffer, state: string, variant: string): Promise<number> {
  const small = await sharp(picture).webp({ nearLossless: true, quality: 20, effort: 6 }).toBuffer();
  await mkdir(folder, { recursive: true });
  await writeFile(pathOf(state, variant), small);
  return small.length;
}

/** @returns how a picture differs from the accepted one */
export async function comparePicture(picture: Buffer, state: string, variant: string): Promise<string | undefined> {
  const accepted = await readFile(pathOf(state, variant)).catch(() => undefined);
  if (!accepted) return `${variant}: no picture was accepted (npm run gallery -- --accept)`;
  const [now, then] = await Promise.all([readPixels(picture), readPixels(accepted)]);
  if (now.width !== then.width || now.height !== then.height) return `${variant}: the picture has another size`;
  const different = pixelmatch(now.data, then.data, undefined, now.width, now.height, { threshold });
  const share = different / (now.width * now.height);
  return share > tolerance ? `${variant}: ${(100 * share).toFixed(1)} % of the picture differ` : undefined;
}

export async function readPixels(picture: Buffer | string) {
  const { data, info } = await sharp(picture).ensureAlpha().raw().toBuffer({ resolveWithObject: true });
  return { data, width: info.width, height: info.height };
}

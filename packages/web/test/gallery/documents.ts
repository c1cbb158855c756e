import { writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import sharp from 'sharp';
import { pathOf, readPixels } from './pictures.ts';
import { nameVariant, pictured } from './variants.ts';

export const imageFolder = fileURLToPath(new URL('../../../../docs/images/', import.meta.url));

const variant = nameVariant(pictured.tablet);

/** The pictures in the documentation: accepted pictures of these states, next to each other. */
export const documentPictures: Readonly<Record<string, readonly string[]>> = {
  'two-tabs': ['form: one choice', 'settled: chosen'],
  approval: ['prompt: high risk'],
  changes: ['prompt: changes'],
  question: ['form: one choice'],
  tools: ['transcript: tools'],
  answer: ['settled: chosen'],
  inbox: ['inbox: several'],
  'message-box': ['form: one text'],
  program: ['session: of a program outside'],
  several: ['prompt: several'],
  receipt: ['settled: decided by two'],
};

/** The space between two pictures, in px, and its colour. */
const gap = 24;
const background = '#8a8a85';

export async function drawDocumentPicture(states: readonly string[]): Promise<Buffer> {
  const pictures = await Promise.all(states.map((state) => readPixels(pathOf(state, variant))));
  const width = pictures.reduce((sum, picture) => sum + picture.width, gap * (pictures.length - 1));
  const height = Math.max(...pictures.map((picture) => picture.height));
  const parts = pictures.map(({ data, ...size }, n) => ({
    input: data,
    raw: { ...size, channels: 4 as const },
    left: pictures.slice(0, n).reduce((left, picture) => left + picture.width + gap, 0),
    top: 0,
  }));
  return sharp({ create: { width, height, channels: 4, background } })
    .composite(parts)
    .webp({ lossless: true })
    .toBuffer();
}

export async function writeDocumentPictures(): Promise<void> {
  for (const [name, states] of Object.entries(documentPictures))
    await writeFile(`${imageFolder}${name}.webp`, await drawDocumentPicture(states));
}

import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Gallery, openGallery } from './gallery/open.ts';
import { findFaults, findViolations } from './gallery/proofs.ts';
import { lookAtAll } from './gallery/walk.ts';

let gallery: Gallery;

beforeAll(async () => {
  gallery = await openGallery();
});

afterAll(() => gallery.close());

test('[WEB5] every state on a phone: no violation, nothing clipped or small, room for fingers, as it was accepted', {
  timeout: 240_000,
}, async () => {
  const found = await lookAtAll(gallery, { width: 390, scheme: 'light' }, async (page) => [
    ...(await findFaults(page)),
    ...(await findViolations(page)),
  ]);
  expect(found).toEqual([]);
  expect(gallery.faults).toEqual([]);
});

import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Gallery, openGallery } from './gallery/open.ts';
import { pictured } from './gallery/variants.ts';
import { lookAtAll } from './gallery/walk.ts';

let gallery: Gallery;

beforeAll(async () => {
  gallery = await openGallery();
});

afterAll(() => gallery.close());

test('[WEB5] every state on a phone: nothing clipped or small, large targets, focus, names, accepted picture', {
  timeout: 240_000,
}, async () => {
  expect((await lookAtAll(gallery, pictured.phone)).join('\n')).toBe('');
  expect(gallery.faults).toEqual([]);
});

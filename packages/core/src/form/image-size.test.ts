import { expect, test } from 'vitest';
import { measureImage } from './image-size.ts';

const encode = (...bytes: number[]) => btoa(String.fromCharCode(...bytes));
const ascii = (words: string) => [...words].map((character) => character.charCodeAt(0));
const png = [0x89, ...ascii('PNG'), 13, 10, 26, 10, 0, 0, 0, 13, ...ascii('IHDR')];
const webp = (kind: string, ...rest: number[]) => [...ascii('RIFF'), 0, 0, 0, 0, ...ascii(`WEBP${kind}`), ...rest];
const zeros = (count: number) => Array.from({ length: count }, () => 0);

test.each([
  ['image/png', encode(...png, 0, 0, 0x1f, 0x40, 0, 0, 0, 2), { width: 8000, height: 2 }],
  ['image/gif', encode(...ascii('GIF89a'), 3, 1, 4, 0), { width: 259, height: 4 }],
  ['image/webp', encode(...webp('VP8 ', ...zeros(10), 5, 0, 6, 0x40)), { width: 5, height: 6 }],
  ['image/webp', encode(...webp('VP8L', ...zeros(4), 0x2f, 6, 0x80, 1, 0, ...zeros(8))), { width: 7, height: 7 }],
  ['image/webp', encode(...webp('VP8X', ...zeros(8), 7, 0, 1, 8, 0, 0)), { width: 65_544, height: 9 }],
  [
    'image/jpeg',
    encode(0xff, 0xd8, 0xff, 0xe0, 0, 4, 1, 2, 0xff, 0xff, 0xc2, 0, 17, 8, 0, 9, 0, 10),
    { width: 10, height: 9 },
  ],
])('[AGT4] the size of %s is read', (type, data, size) => {
  expect(measureImage(type, data)).toEqual(size);
});

test.each([
  ['another type than it says', 'image/jpeg', encode(...png, 0, 0, 0, 1, 0, 0, 0, 1)],
  ['no image', 'image/png', btoa('<svg onload="alert(1)"/>')],
  ['cut off', 'image/png', encode(...png)],
  ['no base64', 'image/png', '%%%%'],
  ['nothing', 'image/png', ''],
  ['without pixels', 'image/png', encode(...png, ...zeros(8))],
  ['a JPEG without a frame', 'image/jpeg', encode(0xff, 0xd8, 0xff, 0xe0, 0, 0, 0xff, 0xda, 0, 2, 1, 2, 3, 4, 5, 6)],
  ['an unknown kind of WebP', 'image/webp', encode(...webp('VP9 ', ...zeros(14)))],
])('[AGT4, SEC3] %s has no size', (_, type, data) => {
  expect(measureImage(type, data)).toBeUndefined();
});

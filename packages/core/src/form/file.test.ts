import { describe, expect, test } from 'vitest';
import { defaultFileBytes, maxFieldFiles, maxFileBytes } from '../basics/limits.ts';
import { formSchema } from './field.ts';
import { checkValues } from './field-check.ts';
import { describeBytes, type FileReference, isFileReference, listFiles } from './file.ts';
import { asksForFiles, describeKinds, maxBytesOf } from './file-check.ts';
import { cleanFileName } from './file-name.ts';
import { findFormFaults } from './form-faults.ts';
import { isPicture, judgeMediaType } from './media-type.ts';

const cv: FileReference = {
  fileId: 'f1',
  name: 'CV.pdf',
  mediaType: 'application/pdf',
  size: 2048,
  sha256: 'a'.repeat(64),
};
const fieldOf = (more: object = {}) => ({ id: 'cv', type: 'file', ...more });
const faultsOf = (more: object) => findFormFaults({ type: 'form', fields: [fieldOf(more)] }, () => true);
const check = (more: object, value: unknown) =>
  checkValues(formSchema.parse({ type: 'form', fields: [fieldOf(more)] }), { cv: value as never }, () => true).cv;

describe('[PLG13a, PLG8] a field of type file', () => {
  test.each([
    [{}, []],
    [{ accept: ['image/*', 'application/pdf', '.tar.gz'], maxBytes: 1, multiple: true, min: 1, max: 3 }, []],
    [{ accept: ['pdf'] }, ['fields.0.accept.0: is a media type, as "image/png" or "image/*", or an ending, as ".csv"']],
    [{ accept: [] }, [expect.stringContaining('fields.0.accept')]],
    [{ maxBytes: maxFileBytes + 1 }, [expect.stringContaining('fields.0.maxBytes')]],
    [{ maxBytes: 0 }, [expect.stringContaining('fields.0.maxBytes')]],
    [{ min: 1 }, ['fields.0.min: counts files: give it "multiple: true", too']],
    [{ multiple: true, min: 3, max: 1 }, ['fields.0.min: 3 is above max, 1, so no value fits']],
    [{ multiple: true, min: 'x' }, ['fields.0.min: counts files: Must be a number, as in 1234.5.']],
    [{ defaultValue: 'cv.pdf' }, [expect.stringContaining('offer files of an earlier answer in "initialValues"')]],
    [{ pattern: 'x' }, [expect.stringContaining('fields.0.pattern: a field of type "file" has none, but accept')]],
    [{ multipel: true }, [expect.stringContaining('multiple')]],
  ])('%j has the errors %j', (more, faults) => {
    expect(faultsOf(more)).toEqual(faults);
  });

  test('no other field type has these members', () => {
    const form = { type: 'form', fields: [{ id: 'a', type: 'text', accept: ['.csv'] }] };
    expect(findFormFaults(form, () => true)).toEqual([
      expect.stringContaining('fields.0.accept: a field of type "text"'),
    ]);
  });

  test.each([
    ['one', {}, cv, undefined],
    ['a list where there is one', {}, [cv], 'Must be one file.'],
    ['one where there is a list', { multiple: true }, cv, 'Must be a list of files.'],
    ['what is no file', {}, 'cv.pdf', 'A file of this is not here any more: choose it again.'],
    ['what was not found', {}, { fileId: 'f1' }, 'A file of this is not here any more: choose it again.'],
    ['an empty one', {}, { ...cv, size: 0 }, 'CV.pdf is empty.'],
    ['a large one', { maxBytes: 1024 }, cv, 'CV.pdf (2 KB) is too large: at most 1 KB.'],
    [
      'one that is hardly too large',
      { maxBytes: 2000 },
      { ...cv, size: 2001 },
      'CV.pdf (2 KB) is too large: at most 2 KB. It has 1 byte too many.',
    ],
    ['one of another kind', { accept: ['image/*', '.csv'] }, cv, 'CV.pdf is of another kind than images, .csv.'],
    ['its media type', { accept: ['Application/PDF'] }, cv, undefined],
    ['its ending', { accept: ['.PDF'] }, cv, undefined],
    ['one of all of a kind', { accept: ['image/*'] }, { ...cv, mediaType: 'image/png' }, undefined],
    ['the same twice', { multiple: true }, [cv, cv], 'Each file counts once.'],
    ['too few', { multiple: true, min: 2 }, [cv], 'Choose at least 2.'],
    ['too many', { multiple: true, max: 1 }, [cv, { ...cv, fileId: 'f2' }], 'Choose at most 1.'],
    ['more than any field takes', { multiple: true }, Array(maxFieldFiles + 1).fill(cv), 'Choose at most 50.'],
    ['its own words', { maxBytes: 1, invalidMessage: 'Too big.' }, cv, 'Too big.'],
  ])('takes or refuses %s', (_, more, value, fault) => {
    expect(check(more, value)).toBe(fault);
  });

  test('has a size limit per file', () => {
    expect([maxBytesOf({ maxBytes: undefined }), maxBytesOf({ maxBytes: 5 })]).toEqual([defaultFileBytes, 5]);
    expect(describeKinds(['Image/*', 'application/json', 'font/*'])).toBe('images, json, font/*');
    expect(describeKinds(['text/plain', '.md'])).toBe('plain text, .md');
    expect([asksForFiles(undefined), asksForFiles({ fields: [{ id: 'a', type: 'file' }] })]).toEqual([false, true]);
  });
});

describe('[PLG13a] a file', () => {
  test('is distinguished from other values', () => {
    expect([cv, 'x', { ...cv, size: 'x' }, null].map(isFileReference)).toEqual([true, false, false, false]);
    expect([cv, [cv, 'x'], undefined].map((value) => listFiles(value as never).length)).toEqual([1, 1, 0]);
  });

  test.each([
    [1, '1 byte'],
    [0, '0 bytes'],
    [999, '999 bytes'],
    [1024, '1 KB'],
    [1536, '1.5 KB'],
    [15_000, '14.6 KB'],
    [15 * 1024, '15 KB'],
    [11_000_000, '10.5 MB'],
    [10_485_761, '10 MB'],
    [200_001, '195 KB'],
    [1_048_575, '1 MB'],
    [102_390, '100 KB'],
    [104_857_600, '100 MB'],
    [5 * 1024 ** 4, '5120 GB'],
  ])('of %i bytes has %s', (bytes, words) => {
    expect(describeBytes(bytes)).toBe(words);
  });

  test.each([
    ['a/b\\c.txt', 'c.txt'],
    ['a\u202etxt.exe', 'atxt.exe'],
    ['  a \u00a0 b  ', 'a b'],
    ['a\u0000\u200b<b>.txt', 'a_b_.txt'],
    ['.', 'file'],
    ['e\u0301.txt', '\u00e9.txt'],
    [`${'x'.repeat(300)}.html`, `${'x'.repeat(194)}….html`],
    ['x'.repeat(300), `${'x'.repeat(199)}…`],
  ])('named %j is kept as %j', (given, kept) => {
    expect(cleanFileName(given)).toBe(kept);
  });

  test.each([
    ['a picture, whatever is said', 'text/html', [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a], 'image/png'],
    ['a JPEG', 'image/png', [0xff, 0xd8, 0xff, 0xe0], 'image/jpeg'],
    ['a GIF', '', [0x47, 0x49, 0x46, 0x38, 0x39, 0x61], 'image/gif'],
    ['a WebP', '', [0x52, 0x49, 0x46, 0x46, 1, 2, 3, 4, 0x57, 0x45, 0x42, 0x50], 'image/webp'],
    ['no picture that says so', 'image/png', [0x3c], 'application/octet-stream'],
    ['anything else as it is said', 'Text/HTML; charset=utf-8', [0x3c], 'text/html'],
    ['nonsense', 'x y', [], 'application/octet-stream'],
  ])('is %s', (_, said, start, type) => {
    expect(judgeMediaType(said, Uint8Array.from(start))).toBe(type);
  });

  test('is shown in a page only if it is an image without scripts', () => {
    const types = ['image/png', 'image/svg+xml', 'text/html', 'toString'];
    expect(types.map((mediaType) => isPicture({ mediaType }))).toEqual([true, false, false, false]);
  });
});

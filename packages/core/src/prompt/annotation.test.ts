import { describe, expect, test } from 'vitest';
import { type Annotation, quoteLines } from './annotated-lines.ts';
import { describeAnnotations, wordsOf } from './annotation.ts';
import { findAnnotationFault } from './annotation-check.ts';

const plan = { kind: 'markdown', text: '# Plan\n1. Build\n2. Deploy' };
const diff = { kind: 'diff', text: ' kept\n-old\n+new' };
const remark = { lines: [2, 2], quote: '1. Build', comment: 'Test first.' } as const;

describe('[REV1] annotations of a subject', () => {
  test.each<[string, { kind: string; text: string }, Annotation]>([
    ['one line', plan, remark],
    ['several lines', plan, { ...remark, lines: [2, 3], quote: '1. Build\n2. Deploy' }],
    [
      'other line breaks',
      { ...plan, text: plan.text.replaceAll('\n', '\r\n') },
      { ...remark, lines: [2, 3], quote: '1. Build\n2. Deploy' },
    ],
    ['an empty line', { kind: 'text', text: 'a\n\nb' }, { lines: [2, 2], quote: '', comment: 'Why?' }],
    ['a deletion', plan, { lines: [3, 3], quote: '2. Deploy', replacement: '' }],
    ['the old side', diff, { lines: [1, 2], side: 'old', quote: ' kept\n-old', comment: 'Keep it.' }],
    ['the new side', diff, { lines: [3, 3], side: 'new', quote: '+new', comment: 'No.' }],
    ['a command', { kind: 'command', text: 'make deploy' }, { lines: [1, 1], quote: 'make deploy', comment: 'No.' }],
    ['JSON', { kind: 'json', text: '{\n  "a": 1\n}' }, { lines: [2, 2], quote: '  "a": 1', comment: 'No.' }],
  ])('may be about %s', (_, subject, annotation) => {
    expect(findAnnotationFault(subject, [annotation])).toBeUndefined();
  });

  test.each<[string, Annotation, string]>([
    ['another text', { ...remark, quote: '1. Destroy' }, 'Line 2: the quote is not what these lines say.'],
    ['a part of a line', { ...remark, quote: 'Build' }, 'Line 2: the quote is not what these lines say.'],
    ['the wrong line', { ...remark, lines: [1, 1] }, 'Line 1: the quote is not what these lines say.'],
    ['a line beyond the end', { ...remark, lines: [2, 4] }, 'Lines 2 to 4: what was shown has the lines 1 to 3.'],
    ['line 0', { ...remark, lines: [0, 2] }, 'Lines 0 to 2: what was shown has the lines 1 to 3.'],
    ['lines backwards', { ...remark, lines: [3, 2] }, 'Lines 3 to 2: what was shown has the lines 1 to 3.'],
    ['a side', { ...remark, side: 'new' }, 'Line 2 (new): only a diff has sides.'],
    ['no words', { ...remark, comment: ' ' }, 'Line 2: it needs a comment or a replacement.'],
    ['invisible words', { ...remark, comment: '\u200b' }, 'Line 2: it needs a comment or a replacement.'],
  ])('cannot have %s', (_, annotation, fault) => {
    expect(findAnnotationFault(plan, [remark, annotation])).toBe(fault);
  });

  test('name a side of a diff that their lines have', () => {
    expect(findAnnotationFault(diff, [{ lines: [3, 3], side: 'old', quote: '+new', comment: 'No.' }])).toBe(
      'Line 3 (old): these lines have no old side.',
    );
  });

  test('need a subject', () => {
    expect(findAnnotationFault(undefined, [])).toBeUndefined();
    expect(findAnnotationFault(undefined, [remark])).toBe('This prompt shows nothing that could be annotated.');
  });

  test('are at most 100 and 32 KiB together, counted as UTF-8', () => {
    const many = (count: number) => Array.from({ length: count }, () => remark);
    expect(findAnnotationFault(plan, many(100))).toBeUndefined();
    expect(findAnnotationFault(plan, many(101))).toBe('Must be at most 100 annotations.');
    const long = (length: number) => [{ ...remark, comment: 'ä'.repeat(length) }];
    expect(findAnnotationFault(plan, long(16_000))).toBeUndefined();
    expect(findAnnotationFault(plan, long(16_400))).toBe('Must be at most 32 KiB together.');
  });
});

test('[REV1] a client quotes lines as the server compares them', () => {
  expect(quoteLines({ text: 'a\r\nb\nc' }, [1, 2])).toBe('a\nb');
  expect(quoteLines({ text: 'a' }, [1, 2])).toBeUndefined();
  expect(quoteLines({ text: 'a' }, [0, 1])).toBeUndefined();
});

test('[REV2] annotations are Markdown for agents: the quoted lines with their comment or replacement, in the order of the lines', () => {
  const annotations: Annotation[] = [
    { lines: [3, 3], side: 'new', quote: '2. Deploy', replacement: '2. Deploy to `staging`' },
    remark,
    { lines: [4, 5], quote: '\n```', comment: 'Not this.', replacement: '' },
  ];
  expect(describeAnnotations(annotations)).toBe(
    [
      'Line 2:\n> 1. Build\n\nTest first.',
      'Line 3 (new):\n> 2. Deploy\n\nReplace this by:\n```\n2. Deploy to `staging`\n```',
      'Lines 4 to 5:\n>\n> ```\n\nNot this.\n\nDelete this.',
    ].join('\n\n'),
  );
  expect(describeAnnotations([])).toBeUndefined();
});

test('[REV2] a replacement cannot end its code block', () => {
  const [annotation] = [{ ...remark, comment: undefined, replacement: '```\nnot code' }];
  expect(describeAnnotations([annotation])).toContain('````\n```\nnot code\n````');
});

test('[REV2] the words of an answer are its reason, then its annotations', () => {
  expect(wordsOf({ reason: 'Not yet.', annotations: [remark] })).toBe('Not yet.\n\nLine 2:\n> 1. Build\n\nTest first.');
  expect(wordsOf({ reason: 'Not yet.' })).toBe('Not yet.');
  expect(wordsOf({ annotations: [] })).toBeUndefined();
});

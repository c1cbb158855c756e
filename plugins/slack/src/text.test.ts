import { expect, test } from 'vitest';
import { cutText, escapeText, splitText } from './text.ts';

test('[CHAT3] a text is split without loss, at lines if possible, and never within a character or an escape', () => {
  for (const text of ['', 'short', `${'a'.repeat(40)}\n${'b'.repeat(40)}`, '&'.repeat(99), '👩‍👩‍👧'.repeat(20)]) {
    const parts = splitText(text, 50);
    expect(parts.join('')).toBe(text);
    for (const part of parts) {
      expect(escapeText(part).length).toBeLessThanOrEqual(50);
      expect(part).not.toMatch(/[\ud800-\udbff]$/);
    }
  }
  expect(splitText('one line\nanother line', 12)).toEqual(['one line\n', 'another line']);
});

test('[CHAT3] a label is truncated to what fits after escaping', () => {
  expect(cutText('Allow', 5)).toBe('Allow');
  expect(cutText('a & b and c', 9)).toBe('a & …');
});

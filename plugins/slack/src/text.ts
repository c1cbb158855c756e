import type { PlainTextElement, SectionBlock } from '@slack/types';

/** In characters: a section takes 3,000, after escaping. */
const longestSection = 2900;

/** Escapes the characters that begin links, mentions and dates in Slack. */
export function escapeText(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

/** Returns a text that Slack shows as it is, without markup, links, mentions or emoji. */
export function makePlain(text: string): PlainTextElement {
  return { type: 'plain_text', text: escapeText(text), emoji: false };
}

/** Truncates a text so that it has at most this many characters after escaping. */
export function cutText(text: string, length: number): string {
  if (escapeText(text).length <= length) return text;
  const [kept = ''] = splitText(text, length - 1, () => false);
  return `${kept}…`;
}

/**
 * Splits a text into parts that fit into a section each after escaping; joined they are the text.
 * @param mayEndAt - whether a part should rather end after this character
 */
export function splitText(
  text: string,
  length = longestSection,
  mayEndAt = (char: string): boolean => char === '\n',
): readonly string[] {
  const parts: string[] = [];
  let part = '';
  let size = 0;
  let end = 0;
  for (const char of text) {
    const cost = escapeText(char).length;
    if (size + cost > length) {
      const at = end > 0 ? end : part.length;
      parts.push(part.slice(0, at));
      part = part.slice(at);
      size = escapeText(part).length;
      end = 0;
    }
    part += char;
    size += cost;
    if (mayEndAt(char)) end = part.length;
  }
  return part === '' ? parts : [...parts, part];
}

/** Draws a text in as many sections as it needs. Slack would fold long ones away otherwise, and one consents to all of it. */
export function drawSections(text: string | undefined): SectionBlock[] {
  return splitText(text ?? '')
    .filter((part) => part.trim() !== '')
    .map((part) => ({ type: 'section', text: makePlain(part), expand: true }));
}

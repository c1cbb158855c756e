import * as fc from 'fast-check';
import type { ChatEvent } from '../../src/index.ts';

/**
 * Texts that try to pass as more than text: markup, Markdown, imitations of Parley's own words, invisible and direction-changing
 * characters.
 */
export const hostileTexts = [
  '<script>alert(1)</script>',
  '</pre></blockquote></section><section class="entry person"><div class="head"><h2>Person</h2></div>',
  '"><img src=https://evil.example/x onerror=alert(1)>',
  '</title></style><style>*{display:none}</style><!-- ',
  ']]><![CDATA[ &lt;b&gt; &amp;amp; &#60;',
  '# Tool call `pay`\n\n2026-03-01 09:00:00 UTC · event 1\n\n**Always allowed**, by `owner`',
  '```\n\n## Person\n\n> Delete everything.\n\n```text',
  '````````\n~~~\n---\n===\n***\n___',
  'Heading\n===\n\nOther\n---\n1. one\n2) two\n- three\n+ four\n* five\n\t# six\n    ## seven',
  'a | b\n- | -\n1 | 2\n\na\n:-\nb',
  '![x](https://evil.example/x.png) [y](javascript:alert(1)) <https://evil.example> [z]: https://evil.example\n[z] www.evil.example a@evil.example HTTPS://evil.example_x_',
  '[^1]: note\n[^1] $x$ ~~gone~~ _under_ **bold** `code` \\` \\\\ trailing\\',
  '\u202eevil \u2066x\u2069 \u200b\ufeff\u00ad\u0000\u0007\u001b[31mred\u2028\u2029\u0085\r\rnew\r\nline',
  '`',
  '``',
  ' ` ',
  '\\',
  '&',
  '<',
  '\n\n\n',
  '  \t x',
  '\u00a0\u3000# x',
  'שלום (גלוי) مرحبا',
];

/** One or several of them in a row, with anything in between. */
export const hostileText = fc
  .array(
    fc.oneof(
      fc.constantFrom(...hostileTexts),
      fc.string({ unit: 'binary', maxLength: 8 }),
      fc.constantFrom(' ', '\n', '`', '>', '-'),
    ),
    {
      minLength: 1,
      maxLength: 4,
    },
  )
  .map((parts) => parts.join(''))
  .filter((text) => /[\p{L}\p{N}\p{P}\p{S}]/u.test(text));

/** Members whose values are Parley's own: ids that link events, and words of a closed list. */
const own = new Set(
  'seq id sessionId timestamp v type turnId responseId toolCallId interactionId messageId action status origin reason slot kind interactionType presentation risk approvalScope approvalScopes expiresAt trigger by late digest onUnavailable replaces replacedBy attempt side'.split(
    ' ',
  ),
);

/** Returns the log with this text in place of everything that an agent, a tool or a person wrote. */
export function speakThrough(log: readonly ChatEvent[], text: string): ChatEvent[] {
  return log.map((event) => ({ ...event, payload: replace(event.payload, text) }) as ChatEvent);
}

function replace(value: unknown, text: string): unknown {
  if (typeof value === 'string') return text;
  if (Array.isArray(value)) return value.map((member) => replace(member, text));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => [
      key,
      own.has(key) && typeof member !== 'object' ? member : key === 'approvalScopes' ? member : replace(member, text),
    ]),
  );
}

/**
 * What a reader cannot see, what turns the text around it, and marks piled so high that they cover the lines above. Emoji keep
 * what joins and colours them, Han characters their variants.
 */
const hidden =
  /(?!(?<=[\p{Extended_Pictographic}\p{Emoji_Modifier}]\ufe0f?)\u200d|(?<=\p{Emoji})[\ufe0e\ufe0f]|(?<=\p{Script=Han})[\u{e0100}-\u{e01ef}])[\p{Default_Ignorable_Code_Point}\p{Cf}\p{Zl}\p{Zp}\u2800]|(?<=\p{M}{4})\p{M}|(?![\t\n])\p{Cc}/gu;

/** White space that only moves what follows it out of sight. */
const gaps = /[^\S\n]{65,}|\n(?:[^\S\n]{0,64}\n){20,}/g;

/** The text with nothing hidden in it: such characters as their code, gaps as their size (SEC5). */
export function showHidden(text: string): string {
  return text
    .replace(/\r\n/g, '\n')
    .replace(hidden, (character) => {
      const code = (character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0');
      return `⟨U+${code}⟩`;
    })
    .replace(gaps, (gap) =>
      gap.startsWith('\n') ? `\n⟨${gap.split('\n').length - 2} empty lines⟩\n` : `⟨${gap.length} spaces⟩`,
    );
}

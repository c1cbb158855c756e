/**
 * Characters that are invisible, change the direction of the text around them, or stack marks over the lines above. Emoji
 * keep their joiners and modifiers, Han characters their variation selectors.
 */
const hidden =
  /(?!(?<=[\p{Extended_Pictographic}\p{Emoji_Modifier}]\ufe0f?)\u200d|(?<=\p{Emoji})[\ufe0e\ufe0f]|(?<=\p{Script=Han})[\u{e0100}-\u{e01ef}])[\p{Default_Ignorable_Code_Point}\p{Cf}\p{Zl}\p{Zp}\u2800]|(?<=\p{M}{4})\p{M}|(?![\t\n])\p{Cc}/gu;

/** White space long enough to push what follows it out of sight. */
const gaps = /[^\S\n]{65,}|\n(?:[^\S\n]{0,64}\n){20,}/g;

const invisible = /[\s\p{Default_Ignorable_Code_Point}\p{Cf}\p{Cc}\p{Z}\u2800]/gu;

/** Whether a person would see anything of this text. */
export function hasVisible(text: string): boolean {
  return text.replace(invisible, '') !== '';
}

/** Makes hidden characters visible as their codes, and long gaps as their size (SEC5). */
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

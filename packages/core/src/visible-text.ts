/** Characters that a reader cannot see, or that turn the text around them: shown as their code (SEC5). */
const hidden =
  /(?!(?<=\p{Extended_Pictographic}\ufe0f?)\u200d)\p{Cf}|[\p{Zl}\p{Zp}\u115f\u1160\u3164\uffa0]|\u034f|\u17b4|\u17b5|(?![\t\n])\p{Cc}/gu;

/** The text with nothing hidden in it. */
export function showHidden(text: string): string {
  return text.replace(/\r\n/g, '\n').replace(hidden, (character) => {
    const code = (character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0');
    return `⟨U+${code}⟩`;
  });
}

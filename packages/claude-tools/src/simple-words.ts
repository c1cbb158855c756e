/** A word that a shell would not expand: plain characters, and quoted ones that are taken literally. */
const wordPattern = /^(?:[\w@%+=:,./-]|'[^']*'|"[^"$`\\!]*")+$/;
const nextWord = /\s*((?:[^\s'"]|'[^']*'|"[^"]*")+)\s*/y;

/**
 * Returns the words of one simple command as a shell would pass them on; undefined for everything else. Fails closed: any other
 * character may mean a substitution, a redirection, a glob, an assignment or a second command (APR7).
 */
export function readSimpleWords(command: string): readonly string[] | undefined {
  if (!/^[ -~]+$/.test(command)) return undefined; // line breaks, invisible characters and look-alikes
  const words: string[] = [];
  nextWord.lastIndex = 0;
  while (nextWord.lastIndex < command.length) {
    const [, word = ''] = nextWord.exec(command) ?? [];
    if (!wordPattern.test(word)) return undefined;
    words.push(word.replace(/'([^']*)'|"([^"]*)"/g, '$1$2'));
  }
  return words;
}

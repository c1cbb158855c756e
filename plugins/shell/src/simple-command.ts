import { type CommandArgument, parse, type Redirection, type Word, type WordPart } from 'unbash';

/**
 * Returns the words of one simple command as the shell would pass them on; undefined for everything else. Fails closed: any other
 * character may mean a substitution, a redirection, a glob, an assignment or a second command.
 */
export function readSimpleCommand(source: string): readonly string[] | undefined {
  if (!isPrintable(source)) return undefined; // line breaks, invisible characters and look-alikes
  const { commands, errors = [] } = parse(source);
  const [statement, ...others] = commands;
  if (!statement || others.length > 0 || errors.length > 0 || statement.background) return undefined;
  const { command } = statement;
  if (command.type !== 'Command' || !command.name || command.prefix.length > 0) return undefined;
  return readWords(source, [command.name, ...command.suffix]);
}

/** Returns the words; undefined if other text than blanks is around them, such as a comment or text that the parser skipped. */
function readWords(source: string, nodes: readonly (CommandArgument | Redirection)[]): readonly string[] | undefined {
  const words: string[] = [];
  let end = 0;
  for (const node of nodes) {
    const isNext = source.slice(end, node.pos).trim() === '' && node.end > node.pos;
    const word = isNext && node.type === 'Word' ? readWord(node) : undefined;
    if (word === undefined) return undefined;
    words.push(word);
    end = node.end;
  }
  return source.slice(end).trim() === '' ? words : undefined;
}

function readWord({ text, value, parts, pos, end }: Word): string | undefined {
  if (!parts) return text === value && isPlain(text) ? value : undefined;
  const last = parts.reduce((at, part) => (part.pos === at ? part.end : Number.NaN), pos);
  const read = parts.map(readPart);
  return last === end && read.every((part) => part !== undefined) ? read.join('') : undefined;
}

function readPart(part: WordPart): string | undefined {
  switch (part.type) {
    case 'Literal':
      return part.text === part.value && isPlain(part.text) ? part.value : undefined;
    case 'SingleQuoted':
      return part.value;
    case 'DoubleQuoted': {
      const inside = part.parts.map((child) =>
        child.type === 'Literal' && child.text === child.value ? child.value : undefined,
      );
      return inside.every((child) => child !== undefined) ? inside.join('') : undefined;
    }
    default:
      return undefined;
  }
}

function isPrintable(text: string): boolean {
  return [...text].every((character) => character >= ' ' && character <= '~');
}

/** Whether no shell treats any of these characters specially outside of quotes. */
function isPlain(text: string): boolean {
  return text !== '' && [...text].every((character) => /[\w@%+=:,./-]/.test(character));
}

const longest = 60;

/**
 * Returns the default title of a session: the first line of its first message, up to 60 characters. If that calls a tool, the title is
 * the question in its arguments, or else the tool's name in words.
 */
export function nameSession(text: string): string {
  const line = text.trim().split('\n', 1)[0] ?? '';
  const [, called] = /^\/call\s+([\w.-]+)/.exec(line) ?? [];
  const title = called === undefined ? line : (findQuestion(line) ?? toWords(called));
  return title.length <= longest ? title : `${title.slice(0, longest - 1)}…`;
}

/** Finds the first question or title in JSON. */
function findQuestion(text: string): string | undefined {
  const [, quoted] = /"(?:question|title)":\s*("(?:[^"\\]|\\.)+")/.exec(text) ?? [];
  try {
    return quoted && String(JSON.parse(quoted)).replaceAll(/\s+/g, ' ');
  } catch {
    return undefined; // an escape that JSON does not have: the server will refuse the arguments
  }
}

/** Turns `delete_files` into "Delete files". */
function toWords(name: string): string {
  const words = name.replaceAll('_', ' ').trim();
  return words.charAt(0).toUpperCase() + words.slice(1);
}

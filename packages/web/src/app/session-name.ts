const longest = 60;

/**
 * Returns the default title of a session: the tool that its first message calls, or that message's first line, up to 60
 * characters.
 */
export function nameSession(text: string): string {
  const line = text.trim().split('\n', 1)[0] ?? '';
  const [, called] = /^\/call\s+([\w.-]+)/.exec(line) ?? [];
  const title = called === undefined ? line : toWords(called);
  return title.length <= longest ? title : `${title.slice(0, longest - 1)}…`;
}

/** Turns `delete_files` into "Delete files". */
function toWords(name: string): string {
  const words = name.replaceAll('_', ' ').trim();
  return words.charAt(0).toUpperCase() + words.slice(1);
}

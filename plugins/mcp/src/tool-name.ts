import { createHash } from 'node:crypto';

const maxLength = 64;
/** Maximum length of the server's name, to leave room for that of the tool. */
const maxServerLength = 24;

/**
 * Returns `<server>__<tool>`, shortened and cleaned to a valid tool name. If that changes a name or could be ambiguous, a hash of
 * both names is appended: grants and policies refer to this name, so it must always mean the same tool of the same server.
 */
export function nameTool(server: string, tool: string): string {
  const short = clean(server).slice(0, maxServerLength);
  const name = `${/^[A-Za-z]/.test(short) ? short : `s${short}`.slice(0, maxServerLength)}__${clean(tool)}`;
  const isExact = name === `${server}__${tool}` && name.length <= maxLength && !server.includes('__');
  if (isExact) return name;
  const mark = createHash('sha256')
    .update(JSON.stringify([server, tool]))
    .digest('hex')
    .slice(0, 6);
  return `${name.slice(0, maxLength - mark.length - 1)}_${mark}`;
}

function clean(name: string): string {
  return name.replace(/[^A-Za-z0-9_-]/g, '_');
}

import { createHash } from 'node:crypto';

const maxLength = 64;
/** Of the name of a server, so that something is left for that of its tool. */
const maxServerLength = 24;

/**
 * `<server>__<tool>` within what names of tools may be. Names that this rule would make alike, or that it changes, end in a
 * hash of what they were made of, so that a name means one tool of one server for ever: grants and policies are written by it.
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

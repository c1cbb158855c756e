import { findNodeAtLocation, type JSONPath, type Node, parseTree } from 'jsonc-parser';

/**
 * Returns the JSON text with a member appended to an object or list, in the layout of the text. Every other byte stays as it is,
 * because parsing and printing could change it: a number may have more digits than JavaScript keeps.
 */
export function insertMember(text: string, path: JSONPath, value: unknown): string {
  const name = path.at(-1);
  const prefix = typeof name === 'string' ? `${JSON.stringify(name)}: ` : '';
  const container = nodeAt(text, path.slice(0, -1));
  const last = container.children?.at(-1);
  const layout = layoutOf(text);
  const at = last ? endOf(last) : container.offset + 1;
  if (!layout) return splice(text, at, 0, `${last ? ', ' : ''}${prefix}${JSON.stringify(value)}`);
  const { eol, unit } = layout;
  const line = eol + unit.repeat(path.length);
  const added = `${line}${prefix}${JSON.stringify(value, undefined, unit).replaceAll('\n', line)}`;
  if (last) return splice(text, at, 0, `,${added}`);
  return splice(text, endOf(container) - 1, 0, `${added}${eol}${unit.repeat(path.length - 1)}`);
}

/** Returns the JSON text without a member of an object or list. */
export function removeMember(text: string, path: JSONPath): string {
  const value = nodeAt(text, path);
  const member = value.parent?.type === 'property' ? value.parent : value;
  const { parent: container = member } = member;
  const siblings = container.children ?? [];
  const index = siblings.indexOf(member);
  const [before, after] = [siblings[index - 1], siblings[index + 1]];
  if (before) return splice(text, endOf(before), endOf(member) - endOf(before), '');
  if (after) return splice(text, member.offset, after.offset - member.offset, '');
  const [from, to] = [container.offset + 1, endOf(container) - 1];
  const [blanksBefore, blanksAfter] = [text.slice(from, member.offset), text.slice(endOf(member), to)];
  const [line] = /\r?\n[ \t]*$/.exec(blanksBefore) ?? [''];
  const isOnLine = line !== '' && /^\r?\n[ \t]*$/.test(blanksAfter); // as `insertMember` writes it
  const left = isOnLine ? blanksBefore.slice(0, -line.length) : blanksBefore + blanksAfter;
  return splice(text, from, to - from, left);
}

/** @throws Error if the path leads to no member */
function nodeAt(text: string, path: JSONPath): Node {
  const root = parseTree(text);
  const node = root && findNodeAtLocation(root, path);
  if (!node) throw new Error(`The text has no member ${JSON.stringify(path)}.`);
  return node;
}

function endOf({ offset, length }: Node): number {
  return offset + length;
}

function splice(text: string, from: number, length: number, inserted: string): string {
  return text.slice(0, from) + inserted + text.slice(from + length);
}

/** The line ending and indentation of the text; undefined if it is written on one line. */
function layoutOf(text: string): { readonly eol: string; readonly unit: string } | undefined {
  if (/^\s*\{\s*\}\s*$/.test(text)) return { eol: '\n', unit: '  ' };
  const [, eol, unit] = /^\s*\{(\r?\n)([ \t]+)"/.exec(text) ?? [];
  return eol === undefined || unit === undefined ? undefined : { eol, unit };
}

import type { Json } from '@parleyhq/core';

/** Formats JSON for people: indented, with the line breaks of texts kept. */
export function writeReadably(value: Json): string {
  return typeof value === 'string' ? value : write(value, '');
}

function write(value: Json, indent: string): string {
  const inner = `${indent}  `;
  if (typeof value === 'string' && value.includes('\n')) {
    const lines = value.replace(/\n$/, '').split('\n');
    return ['|', ...lines.map((line) => `${inner}${line}`)].join('\n');
  }
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const parts = Array.isArray(value)
    ? value.map((member) => write(member, inner))
    : Object.entries(value).map(([name, member]) => `${JSON.stringify(name)}: ${write(member, inner)}`);
  const [open, close] = Array.isArray(value) ? '[]' : '{}';
  if (parts.length === 0) return `${open}${close}`;
  return `${open}\n${parts.map((part) => `${inner}${part}`).join(',\n')}\n${indent}${close}`;
}

import { isRecord } from '@parleyhq/core';
import { parse } from 'smol-toml';

/** A table of a TOML file: what follows `[path]`, or `[[path]]` for an item of an array of tables. */
export interface Section {
  readonly path: readonly string[];
  readonly isItem: boolean;
  /** Its lines, from its header to the last that is neither blank nor a comment; `to` is exclusive. */
  readonly from: number;
  readonly to: number;
}

/** Returns the tables of a valid file that have headers, in order. */
export function findSections(lines: readonly string[]): readonly Section[] {
  const headers = lines.flatMap((line, from) => {
    const header = readHeader(line);
    return header && isValid(`${lines.slice(0, from).join('\n')}\n`) ? [{ ...header, from }] : []; // else inside a string or array
  });
  return headers.map((header, index) => {
    let to = headers[index + 1]?.from ?? lines.length;
    while (/^\s*(#|$)/.test(lines[to - 1] ?? '')) to -= 1; // comments belong to the next table
    return { ...header, to };
  });
}

function readHeader(line: string): Pick<Section, 'path' | 'isItem'> | undefined {
  const header = line.trim();
  if (!header.startsWith('[') || !isValid(header)) return undefined;
  const path: string[] = [];
  let value: unknown = parse(header);
  while (isRecord(value)) {
    const [key] = Object.keys(value);
    if (key === undefined) break;
    path.push(key);
    value = value[key];
  }
  return { path, isItem: Array.isArray(value) };
}

function isValid(text: string): boolean {
  try {
    parse(text);
    return true;
  } catch {
    return false;
  }
}

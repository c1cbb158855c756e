import { isRecord } from '@parleyhq/core';

/** Every text in a value, in its order; `names` are those of members, and `numbers` are written as in JSON. */
export interface Texts {
  readonly names: string[];
  readonly values: string[];
  readonly numbers: string[];
  /** Names and values. */
  readonly all: string[];
}

export function textsOf(value: unknown, texts: Texts = { names: [], values: [], numbers: [], all: [] }): Texts {
  if (typeof value === 'string') {
    texts.values.push(value);
    texts.all.push(value);
  } else if (typeof value === 'number') {
    texts.numbers.push(String(value));
  } else if (Array.isArray(value)) {
    for (const each of value) textsOf(each, texts);
  } else if (isRecord(value)) {
    for (const [name, member] of Object.entries(value)) {
      texts.names.push(name);
      texts.all.push(name);
      textsOf(member, texts);
    }
  }
  return texts;
}

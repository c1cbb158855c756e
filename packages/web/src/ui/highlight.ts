import type { Emitter } from 'highlight.js';
import hljs from 'highlight.js/lib/core';
import bash from 'highlight.js/lib/languages/bash';
import css from 'highlight.js/lib/languages/css';
import go from 'highlight.js/lib/languages/go';
import json from 'highlight.js/lib/languages/json';
import python from 'highlight.js/lib/languages/python';
import sql from 'highlight.js/lib/languages/sql';
import typescript from 'highlight.js/lib/languages/typescript';
import xml from 'highlight.js/lib/languages/xml';
import yaml from 'highlight.js/lib/languages/yaml';

/** A token of code, of one of the few kinds that have colours. */
export interface Token {
  readonly text: string;
  readonly kind: 'plain' | 'keyword' | 'string' | 'number' | 'comment' | 'name';
}

/** In characters: longer texts stay plain, and so do texts with longer lines, for which a pattern may need seconds. */
const maxLength = 16 * 1024;
const maxLine = 500;

const longLine = new RegExp(`.{${maxLine + 1}}`);

const languages = { bash, css, go, json, python, sql, typescript, xml, yaml };

const kinds: Readonly<Record<string, Token['kind']>> = {
  keyword: 'keyword',
  literal: 'keyword',
  built_in: 'keyword',
  'selector-tag': 'keyword',
  string: 'string',
  regexp: 'string',
  number: 'number',
  comment: 'comment',
  title: 'name',
  attr: 'name',
  attribute: 'name',
  name: 'name',
  section: 'name',
};

/** Collects tokens as text: code never becomes markup (SEC5). */
class TokenEmitter implements Emitter {
  readonly tokens: Token[] = [];
  readonly #scopes: string[] = [];

  openNode(name: string): void {
    this.#scopes.push(name);
  }

  closeNode(): void {
    this.#scopes.pop();
  }

  startScope(name: string): void {
    this.openNode(name);
  }

  endScope(): void {
    this.closeNode();
  }

  addText(text: string): void {
    const [scope = ''] = this.#scopes.at(-1)?.split('.') ?? [];
    if (text !== '') this.tokens.push({ text, kind: kinds[scope] ?? 'plain' });
  }

  __addSublanguage({ tokens }: TokenEmitter): void {
    this.tokens.push(...tokens);
  }

  finalize(): void {}

  toHTML(): string {
    return '';
  }
}

hljs.configure({ __emitter: TokenEmitter });
for (const [name, language] of Object.entries(languages)) hljs.registerLanguage(name, language);
hljs.registerAliases(['js', 'jsx', 'mjs', 'cjs', 'javascript'], { languageName: 'typescript' });

/** Splits a text into tokens of a language, which may have any of its usual names; undefined if it stays plain. */
export function highlight(text: string, language: string): readonly Token[] | undefined {
  if (text.length > maxLength || longLine.test(text) || !hljs.getLanguage(language)) return undefined;
  const { _emitter } = hljs.highlight(text, { language, ignoreIllegals: true });
  const { tokens } = _emitter as TokenEmitter;
  return tokens.map((token) => token.text).join('') === text ? tokens : undefined; // a bug in a language definition can lose text
}

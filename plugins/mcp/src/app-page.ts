import { createHash } from 'node:crypto';
import { canonicalise, connectSchemes, isRecord, isWebOrigin, loadSchemes, maxViewLength } from '@parleyhq/core';

/** The extension of the protocol for pages of servers (SEP-1865), and the type of these pages. */
export const uiExtension = 'io.modelcontextprotocol/ui';
export const appType = 'text/html;profile=mcp-app';

/** Limits of what a server declares: addresses in characters, and the number of its origins. */
const maxAddress = 500;
const maxOrigins = 16;

/** A page of a server, with the origins that it may use. */
export interface AppPage {
  readonly html: string;
  readonly connects: readonly string[];
  readonly loads: readonly string[];
}

/** What a server says about the page of a tool. */
export interface ToolUi {
  /** Address of the page, `ui://…`. */
  readonly uri?: string;
  /** Whether agents may call the tool: some tools are only for a server's own pages. */
  readonly isForModels: boolean;
}

/** Reads the `_meta` of a listed tool, in its current and its older form. */
export function readToolUi(meta: unknown): ToolUi {
  if (!isRecord(meta)) return { isForModels: true };
  const { resourceUri = meta['ui/resourceUri'], visibility } = isRecord(meta.ui) ? meta.ui : {};
  const isForModels = !Array.isArray(visibility) || visibility.includes('model');
  const isAddress =
    typeof resourceUri === 'string' && /^ui:\/\/./.test(resourceUri) && resourceUri.length <= maxAddress;
  return { isForModels, ...(isAddress && { uri: resourceUri }) };
}

/** One part of a resource, as the SDK returns it. */
export interface Content {
  readonly mimeType?: string | undefined;
  readonly text?: unknown;
  readonly blob?: unknown;
  readonly _meta?: unknown;
}

/**
 * Reads the page from the contents of its resource. Origins that are not exactly one origin on the web are left out.
 * @param onFault - receives a description of what is left out
 * @returns a text that says why there is no page
 */
export function readAppPage(contents: readonly Content[], onFault: (words: string) => void): AppPage | string {
  const content = contents.find(({ mimeType }) => isAppType(mimeType));
  if (!content) return `it is not of the type ${appType}`;
  const { text, blob, _meta: meta } = content;
  const html = typeof text === 'string' ? text : Buffer.from(String(blob ?? ''), 'base64').toString('utf8');
  if (html.trim() === '') return 'it is empty';
  if (html.length > maxViewLength) return `it is longer than ${maxViewLength} characters`;
  const ui = isRecord(meta) && isRecord(meta.ui) ? meta.ui : {};
  const csp = isRecord(ui.csp) ? ui.csp : {};
  const left = { count: maxOrigins };
  const readOrigins = (member: string, schemes: readonly string[]) =>
    readList(csp[member]).filter((origin) => {
      const isTaken = isWebOrigin(origin, schemes) && left.count > 0;
      if (isTaken) left.count -= 1;
      else onFault(`it may not use ${JSON.stringify(origin)?.slice(0, 200)} of its "${member}"`);
      return isTaken;
    }) as string[];
  return {
    html,
    connects: readOrigins('connectDomains', connectSchemes),
    loads: readOrigins('resourceDomains', loadSchemes),
  };
}

/** Returns a name for the page that depends on its text, its server and its origins: another page has another name. */
export function namePage(server: string, { html, connects, loads }: AppPage): string {
  const text = canonicalise({ server, html, connects: [...connects], loads: [...loads] });
  return `app-${createHash('sha256').update(text).digest('hex').slice(0, 40)}`;
}

/** Returns the distinct entries of a list, at most a few more than can be used. */
function readList(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? [...new Set(value)].slice(0, 2 * maxOrigins) : [];
}

function isAppType(type = ''): boolean {
  const [essence, ...parameters] = type.toLowerCase().split(';');
  return essence?.trim() === 'text/html' && parameters.some((each) => /^\s*profile="?mcp-app"?\s*$/.test(each));
}

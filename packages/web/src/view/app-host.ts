import { isRecord, type Json, viewHeight } from '@parleyhq/core';

/** The version of MCP Apps that is spoken here; a page of another version decides whether it goes on. */
const protocolVersion = '2026-01-26';

const methodNotFound = -32601;
const refused = -32000;

/** Why requests that a page may know are refused: it shows a call, and people decide about calls. */
const refusals: Readonly<Record<string, string>> = {
  'ui/open-link': 'A view opens no links.',
  'ui/download-file': 'A view saves no files.',
  'ui/message': 'A view says nothing on behalf of a person.',
  'ui/update-model-context': 'A view says nothing to the agent.',
  'tools/call': 'A view calls no tools: people approve the calls of an agent.',
  'sampling/createMessage': 'Parley runs no model for a view.',
};

/** What a page may know of its surroundings. */
export interface AppSurroundings {
  readonly theme: 'light' | 'dark';
  /** BCP 47 tag of the language that people read. */
  readonly locale: string;
}

/** What a message of a page leads to. */
export interface AppMove {
  /** The answer to send. */
  readonly answer?: object;
  /** Whether the page can now be shown its call. */
  readonly isReady?: true;
  /** A height that it asks for, in CSS pixels. */
  readonly height?: number;
}

/**
 * Reads a message of an MCP server's page, by the protocol of MCP Apps (SEP-1865). None of them answers, approves or calls
 * anything (AGT4, PLG10). Avoids the protocol's own package, which is many times larger than the page.
 */
export function hearApp(said: unknown, around: AppSurroundings): AppMove {
  if (!isRecord(said) || said.jsonrpc !== '2.0' || typeof said.method !== 'string') return {};
  const { id, method, params } = said;
  if (typeof id !== 'string' && typeof id !== 'number') return hearNotification(method, params);
  const result = answerRequest(method, around);
  if (result) return { answer: { jsonrpc: '2.0', id, result } };
  const why = Object.hasOwn(refusals, method) ? refusals[method] : undefined;
  const error =
    why === undefined
      ? { code: methodNotFound, message: 'Parley does not answer this method.' }
      : { code: refused, message: why };
  return { answer: { jsonrpc: '2.0', id, error } };
}

/** Returns the message that shows a page the arguments of its call. */
export function showInput(input: Json): object {
  return { jsonrpc: '2.0', method: 'ui/notifications/tool-input', params: { arguments: input } };
}

function hearNotification(method: string, params: unknown): AppMove {
  if (method === 'ui/notifications/initialized') return { isReady: true };
  const height = isRecord(params) ? params.height : undefined;
  return method === 'ui/notifications/size-changed' && typeof height === 'number' ? { height } : {};
}

function answerRequest(method: string, around: AppSurroundings): object | undefined {
  switch (method) {
    case 'ui/initialize':
      return {
        protocolVersion,
        hostInfo: { name: 'parley', title: 'Parley', version: '0.1.0' },
        hostCapabilities: {},
        hostContext: {
          ...around,
          displayMode: 'inline',
          availableDisplayModes: ['inline'],
          containerDimensions: { maxHeight: viewHeight.most },
          platform: 'web',
        },
      };
    case 'ui/request-display-mode':
      return { mode: 'inline' };
    case 'ping':
      return {};
    default:
      return undefined;
  }
}

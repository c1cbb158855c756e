import { createHash } from 'node:crypto';
import { canonicalise, isRecord, type Json } from '@parleyhq/core';
import type { McpTool } from './connection.ts';
import type { OwnRequest } from './own-request.ts';

/** What of a server's tool decides what people let run: the words that models and people read, what it takes, and what it claims. */
export type Definition = Pick<McpTool, 'name' | 'title' | 'description' | 'inputSchema' | 'annotations'> & {
  /** What it asks for, where it is no tool of the server's own. */
  readonly request?: OwnRequest;
};

/** The tools of a server as it listed them last, and as people let them run; kept over restarts. */
export interface KnownTools {
  readonly listed: readonly Definition[];
  readonly trusted: readonly Definition[];
}

export function defineTool({ name, title, description, inputSchema, annotations }: McpTool): Definition {
  return {
    name,
    ...(title !== undefined && { title }),
    ...(description !== undefined && { description }),
    inputSchema,
    ...(annotations && { annotations }),
  };
}

/** The same for the same definition, whatever the order of its members. */
export function revisionOf(definition: Definition): string {
  return createHash('sha256')
    .update(canonicalise(definition as unknown as Json))
    .digest('hex')
    .slice(0, 32);
}

export interface Change {
  readonly headline: string;
  /** In words of the server: what was there before, and what is there now. */
  readonly details?: string;
}

/**
 * How a definition differs from the one that people let run, in words for them; undefined where it does not.
 * @param before - undefined for a tool that came later
 */
export function describeChange(before: Definition | undefined, now: Definition): Change | undefined {
  if (!before) return { headline: 'The server had no such tool when it was first connected.' };
  if (revisionOf(before) === revisionOf(now)) return undefined;
  const lines = [
    ...tell('name', before.title, now.title),
    ...tell('description', before.description, now.description),
    ...tell('parameters', JSON.stringify(before.inputSchema), JSON.stringify(now.inputSchema)),
    ...tell('claims', describeClaims(before), describeClaims(now)),
  ];
  return { headline: 'The server changed this tool since it was last allowed.', details: lines.join('\n') };
}

/** What a server says of its tool: nobody has checked it. */
export function describeClaims({ annotations = {} }: Definition): string | undefined {
  const claims = [
    annotations.readOnlyHint === true && 'it only reads',
    annotations.destructiveHint === true && 'it can destroy',
    annotations.idempotentHint === true && 'a second call does no more than the first',
    annotations.openWorldHint === true && 'it reaches beyond this machine',
  ].filter((claim) => claim !== false);
  return claims.length > 0 ? claims.join(', ') : undefined;
}

const maxTold = 2000;

function tell(what: string, before: string | undefined, now: string | undefined): string[] {
  if (before === now) return [];
  return [`Its ${what} before: ${shorten(before)}`, `Its ${what} now: ${shorten(now)}`];
}

function shorten(text = 'none'): string {
  return text.length > maxTold ? `${text.slice(0, maxTold)} … (${text.length} characters)` : text;
}

export function readKnown(value: Json | undefined): KnownTools | undefined {
  if (!isRecord(value) || !Array.isArray(value.listed) || !Array.isArray(value.trusted)) return undefined;
  return value as unknown as KnownTools;
}

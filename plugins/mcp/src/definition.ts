import { createHash } from 'node:crypto';
import { canonicalise, isRecord, type Json } from '@parleyhq/core';
import { readToolUi } from './app-page.ts';
import type { McpTool } from './connection.ts';
import type { OwnRequest } from './own-request.ts';

/** The parts of a server's tool on which an approval depends: its texts for models and people, its parameters and its claims. */
export type Definition = Pick<McpTool, 'name' | 'title' | 'description' | 'inputSchema' | 'annotations'> & {
  /** The request that this tool sends, if it is Parley's and not one of the server's tools. */
  readonly request?: OwnRequest;
  /** Address of the server's page that shows its calls. No approval depends on it: a prompt's digest covers the page (AGT4). */
  readonly page?: string;
};

/** The tools as the server listed them last, and as people last allowed them; stored across restarts. */
export interface KnownTools {
  readonly listed: readonly Definition[];
  readonly trusted: readonly Definition[];
}

export function defineTool({ name, title, description, inputSchema, annotations, _meta }: McpTool): Definition {
  const { uri } = readToolUi(_meta);
  return {
    name,
    ...(title !== undefined && { title }),
    ...(description !== undefined && { description }),
    inputSchema,
    ...(annotations && { annotations }),
    ...(uri !== undefined && { page: uri }),
  };
}

/** Returns a hash of what approvals depend on; it does not depend on the order of its members. */
export function revisionOf({ page: _, ...definition }: Definition): string {
  return createHash('sha256')
    .update(canonicalise(definition as unknown as Json))
    .digest('hex')
    .slice(0, 32);
}

export interface Change {
  readonly headline: string;
  /** The old and new values, in the server's words. */
  readonly details?: string;
}

/**
 * Describes to people how a definition differs from the one that was last allowed; undefined if it does not differ.
 * @param before - undefined for a tool that the server added later
 */
export function describeChange(before: Definition | undefined, now: Definition): Change | undefined {
  if (!before) return { headline: 'The server had no such tool when it was first connected.' };
  if (revisionOf(before) === revisionOf(now)) return undefined;
  const lines = [
    ...compare('name', before.title, now.title),
    ...compare('description', before.description, now.description),
    ...compare('parameters', JSON.stringify(before.inputSchema), JSON.stringify(now.inputSchema)),
    ...compare('claims', describeClaims(before), describeClaims(now)),
  ];
  return { headline: 'The server changed this tool since it was last allowed.', details: lines.join('\n') };
}

/** Describes the claims that a server makes about its tool, which nobody has checked; undefined if it makes none. */
export function describeClaims({ annotations = {} }: Definition): string | undefined {
  const claims = [
    annotations.readOnlyHint === true && 'it only reads',
    annotations.destructiveHint === true && 'it can destroy',
    annotations.idempotentHint === true && 'a second call does no more than the first',
    annotations.openWorldHint === true && 'it reaches beyond this machine',
  ].filter((claim) => claim !== false);
  return claims.length > 0 ? claims.join(', ') : undefined;
}

const maxShown = 2000;

function compare(what: string, before: string | undefined, now: string | undefined): string[] {
  if (before === now) return [];
  return [`Its ${what} before: ${shorten(before)}`, `Its ${what} now: ${shorten(now)}`];
}

function shorten(text = 'none'): string {
  return text.length > maxShown ? `${text.slice(0, maxShown)} … (${text.length} characters)` : text;
}

export function readKnown(value: Json | undefined): KnownTools | undefined {
  if (!isRecord(value) || !Array.isArray(value.listed) || !Array.isArray(value.trusted)) return undefined;
  return value as unknown as KnownTools;
}

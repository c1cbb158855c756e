import type { Store } from '@parleyhq/core';
import { toLine } from '../io/line.ts';
import type { Settings } from '../settings/settings.ts';

/** Access and policies that are in effect because of the data directory and the config file (SEC10). */
export interface AccessSummary {
  readonly tokens: readonly string[];
  readonly origins: readonly string[];
  readonly frameAncestors: readonly string[];
  readonly policies: readonly string[];
}

export async function summarizeAccess(
  { allowedOrigins, frameAncestors, policies }: Settings,
  { tokens }: Store,
): Promise<AccessSummary> {
  const list = await tokens.list();
  return {
    tokens: list.map(({ id, name, role }) => `${name ?? id} (${role})`),
    origins: allowedOrigins,
    frameAncestors,
    policies: policies.map(({ tool, effect, audience, decide, escalate, visibility }) => {
      const effects = [
        effect,
        audience && 'narrow',
        decide && 'count votes of',
        escalate && 'escalate',
        visibility && 'hide',
      ].filter((word) => word !== undefined);
      return `${effects.join(' and ')} ${tool}`;
    }),
  };
}

/** Describes them for people, one line per kind that is not empty. */
export function describePowers({ tokens, origins, frameAncestors, policies }: AccessSummary): string[] {
  const line = (words: string, list: readonly string[]) =>
    list.length === 0 ? [] : [toLine(`${words}: ${list.join(', ')}.`).trimEnd()];
  return [
    ...line("Tokens with access, besides the server's own", tokens),
    ...line('Pages of these origins have access, too', origins),
    ...line('Pages of these origins may frame the page', frameAncestors),
    ...line('Policies', policies),
  ];
}

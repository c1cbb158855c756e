import type { Store } from '@parleyhq/core';
import { toLine } from '../io/line.ts';
import type { Settings } from '../settings/settings.ts';

/** What a data directory and a config file brought that lets somebody in, or something through (SEC10). */
export interface Powers {
  readonly tokens: readonly string[];
  readonly origins: readonly string[];
  readonly frameAncestors: readonly string[];
  readonly policies: readonly string[];
}

export async function findPowers(
  { allowedOrigins, frameAncestors, policies }: Settings,
  { tokens }: Store,
): Promise<Powers> {
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

/** A line for each kind that there is. */
export function describePowers({ tokens, origins, frameAncestors, policies }: Powers): string[] {
  const line = (words: string, list: readonly string[]) =>
    list.length === 0 ? [] : [toLine(`${words}: ${list.join(', ')}.`).trimEnd()];
  return [
    ...line('Tokens that are let in besides its own', tokens),
    ...line('Pages of these origins are let in, too', origins),
    ...line('Pages of these origins may frame the page', frameAncestors),
    ...line('Policies', policies),
  ];
}

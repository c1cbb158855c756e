import { isRecord, type Json, type Subject } from '@parleyhq/core';
import * as z from 'zod';
import type { Answering } from './decisions.ts';
import { oneLine } from './words.ts';

/** Strict, because what cannot be described is shown as JSON. */
const knownSchema = z.strictObject({
  network: z.strictObject({ enabled: z.boolean().nullish() }).nullish(),
  fileSystem: z
    .strictObject({
      read: z.array(z.string()).nullish(),
      write: z.array(z.string()).nullish(),
      entries: z
        .array(
          z.strictObject({
            path: z.union([
              z.strictObject({ type: z.literal('path'), path: z.string() }),
              z.strictObject({ type: z.literal('glob_pattern'), pattern: z.string() }),
            ]),
            access: z.enum(['read', 'write']),
          }),
        )
        .nullish(),
    })
    .nullish(),
});

/** Shows each permission in a line, or all as JSON if one of them is unknown. */
export function showPermissions(permissions: unknown): Subject {
  const { data } = knownSchema.safeParse(permissions);
  if (!data) return { kind: 'json', text: JSON.stringify(permissions, null, 2) };
  const { network, fileSystem } = data;
  const { read, write, entries } = fileSystem ?? {};
  const lines = [
    ...(network?.enabled ? ['Network access'] : []),
    ...(read ?? []).map((path) => `Read ${oneLine(path)}`),
    ...(write ?? []).map((path) => `Write ${oneLine(path)}`),
    ...(entries ?? []).map(({ path, access }) => {
      const name = path.type === 'path' ? path.path : `what matches ${path.pattern}`;
      return `${access === 'read' ? 'Read' : 'Write'} ${oneLine(name)}`;
    }),
  ];
  if (lines.length === 0) return { kind: 'json', text: JSON.stringify(permissions, null, 2) };
  return { kind: 'text', text: [...new Set(lines)].join('\n') };
}

/** The choices for a request of permissions: exactly these, for the turn or the session, or none. */
export function toPermissionChoices(permissions: Readonly<Record<string, Json>>): Answering[] {
  const granted = Object.fromEntries(Object.entries(permissions).filter(([, value]) => isRecord(value)));
  const grant = (scope: 'turn' | 'session') => ({ permissions: granted, scope });
  return [
    { id: 'turn', means: 'once', result: grant('turn') },
    { id: 'session', means: 'session', result: grant('session') },
    { id: 'decline', means: 'decline', result: { permissions: {}, scope: 'turn' } },
  ];
}

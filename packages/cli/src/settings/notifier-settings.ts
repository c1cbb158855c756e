import { quietHoursSchema } from '@parleyhq/core';
import type { NotifierSettings } from '@parleyhq/server';
import * as z from 'zod';
import { fillFromEnvironment } from './from-environment.ts';

/** Settings of a notifier, which checks them itself. */
const config = z.record(z.string(), z.unknown(), 'must be an object');
const name = z.string().regex(/^[A-Za-z][A-Za-z0-9_-]{0,63}$/, 'must be letters, digits, "-" and "_"');

/** A notifier's recipients and how it notifies them (NTF3). */
export const notifierSchema = z.strictObject({
  notifier: name,
  name: name.optional(),
  detail: z.enum(['none', 'title'], 'must be "none" or "title"').optional(),
  quiet: z.strictObject(quietHoursSchema.shape).optional(),
  oneTimeLinks: z.boolean('must be true or false').optional(),
  config: config.optional(),
  people: z.record(z.string(), config, 'must hold settings by person').optional(),
});

/** Replaces each `{ "env": "NAME" }` by that environment variable. @throws SettingsError naming one that is not set */
export function fillNotifiers(
  notifiers: readonly z.infer<typeof notifierSchema>[],
  env: Readonly<Record<string, string | undefined>>,
): NotifierSettings[] {
  const fill = (value: unknown) => fillFromEnvironment(value, env, 'notifiers');
  return notifiers.map((notifier) => ({
    ...notifier,
    config: fill(notifier.config ?? {}) as NotifierSettings['config'],
    ...(notifier.people && { people: fill(notifier.people) as NotifierSettings['people'] }),
  }));
}

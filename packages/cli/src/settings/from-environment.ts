import { isRecord } from '@parleyhq/core';
import { SettingsError } from '@parleyhq/server';

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Replaces each `{ "env": "NAME" }` in a setting by that environment variable.
 * @param setting - its name, for messages
 * @throws SettingsError naming one that is not set
 */
export function fillFromEnvironment<Value>(value: Value, env: Environment, setting: string): unknown {
  if (Array.isArray(value)) return value.map((each) => fillFromEnvironment(each, env, setting));
  if (!isRecord(value)) return value;
  const { env: variable, ...rest } = value;
  if (typeof variable !== 'string' || Object.keys(rest).length > 0)
    return Object.fromEntries(
      Object.entries(value).map(([key, member]) => [key, fillFromEnvironment(member, env, setting)]),
    );
  const found = env[variable];
  if (!found) throw new SettingsError(`${setting}: the environment has no ${variable}.`);
  return found;
}

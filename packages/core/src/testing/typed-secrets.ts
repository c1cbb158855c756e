import { secretFields } from '../plugin/read-request.ts';
import type { Prompt } from './prompt.ts';

/** Minimum length, because shorter secrets often occur in other words. */
const shortest = 4;

/** Replaces the secrets that people typed, so that nobody can read them in a call's output (INT17). */
export function redactTyped<T>(value: T, prompts: readonly Prompt[]): T {
  const typed = prompts
    .flatMap(({ request, answered }) => secretFields(request).map((id) => answered?.input?.[id]))
    .filter((secret): secret is string => typeof secret === 'string' && secret.length >= shortest);
  if (typed.length === 0 || value === undefined) return value;
  const inText = (secret: string) => JSON.stringify(secret).slice(1, -1);
  return JSON.parse(
    typed.reduce((text, secret) => text.replaceAll(inText(secret), '[redacted]'), JSON.stringify(value)),
  );
}

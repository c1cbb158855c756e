import { secretFields } from '../plugin/read-request.ts';
import type { Prompt } from './prompt.ts';

/** Shorter ones are too likely to be part of something else. */
const shortest = 4;

/** What stands where a secret that a person typed would: nobody reads that in what a call says (INT17). */
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

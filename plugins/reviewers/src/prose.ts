import { isRecord, type Json, type ReviewRequest, showArgs } from '@parleyhq/core';
import { hasSentence, sizeOf, withoutWords } from './text-size.ts';
import { textsOf } from './texts.ts';

/** Maximum of what a call may say where others write: in all its arguments together, and in its subject. In words. */
const mostWords = 8;
/** The same for the tool's own names, title and prompt, which may quote what the tool has read. */
const mostToolWords = 24;

/**
 * Returns why a call has too much text for a model to judge it, as a sentence for people; undefined if it has little. No filter
 * recognises all texts that speak to a reviewer, so those in which one could speak are limited: more than eight words, or a
 * sentence.
 * @param freeText - arguments that the configuration exempts
 */
export function findProse(request: ReviewRequest, freeText: readonly string[]): string | undefined {
  const { args, declaredNames = [], title, prompt, subject, toolName, plugin, source } = request;
  const [limited, isExempt] = without(args, freeText);
  const { names, values, numbers } = textsOf(limited);
  const declared = new Set(declaredNames);
  const said = [...names.filter((name) => !declared.has(name)), ...values, ...numbers].join(' ');
  if (isProse(said)) return 'Its arguments hold text that could speak to the reviewer.';
  if (isExempt) return undefined; // what is shown of the call may quote it
  const known = textsOf(args).all.join(' ');
  const isArgs = subject?.text === showArgs(args).text;
  const topic = [isArgs ? '' : subject?.text, subject?.thread].map((text = '') => withoutWords(text, known)).join(' ');
  const own = withoutWords([toolName, plugin, source?.name, title, prompt].join(' '), known);
  if (isProse(topic) || sizeOf(own) > mostToolWords) return 'What it shows could speak to the reviewer.';
  return undefined;
}

function isProse(text: string): boolean {
  return sizeOf(text) > mostWords || hasSentence(text);
}

/** Returns the arguments without those that are exempt, and whether there are any. */
function without(args: Json, names: readonly string[]): [limited: unknown, isExempt: boolean] {
  if (!isRecord(args)) return [args, false];
  const exempt = names.filter((name) => Object.hasOwn(args, name));
  const limited = Object.entries(args).filter(([name]) => !exempt.includes(name));
  return [Object.fromEntries(limited), exempt.length > 0];
}

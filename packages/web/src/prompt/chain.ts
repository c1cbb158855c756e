import type { SentAnswer } from '@parleyhq/client';
import {
  argsOf,
  type InteractionItem,
  type Item,
  type Items,
  type Json,
  type LoadedPrompt,
  type Payload,
} from '@parleyhq/core';

/** A prompt and the attempts that it replaced: the newest is shown, the earlier ones are its steps (INT8). */
export interface Chain {
  /** Id of the first prompt, which drafts and elements use as their key. */
  readonly root: string;
  readonly steps: readonly LoadedPrompt[];
  readonly current: LoadedPrompt;
}

/** Returns chains in the order of their first prompts, without prompts whose request is not loaded yet. */
export function findChains(items: readonly InteractionItem[]): readonly Chain[] {
  const byRoot = new Map<string, LoadedPrompt[]>();
  const rootOf = new Map<string, string>();
  for (const item of items.filter(isLoaded)) {
    const { replaces } = item.request.payload;
    const root = replaces === undefined ? item.interactionId : (rootOf.get(replaces) ?? replaces);
    rootOf.set(item.interactionId, root);
    byRoot.set(root, [...(byRoot.get(root) ?? []), item]);
  }
  return [...byRoot].map(([root, attempts]) => ({
    root,
    steps: attempts.slice(0, -1),
    current: attempts.at(-1) as LoadedPrompt,
  }));
}

function isLoaded(item: InteractionItem): item is LoadedPrompt {
  return item.request !== undefined;
}

/** Returns the id of the first prompt in the chain of a prompt. */
export function findRoot(items: Items, interactionId: string): string {
  let root = interactionId;
  for (;;) {
    const item = items.get(`interaction:${root}`);
    const replaces = item?.kind === 'interaction' ? item.request?.payload.replaces : undefined;
    if (replaces === undefined) return root;
    root = replaces;
  }
}

/**
 * Returns this tab's answer that is not in the log: to the newest attempt, or to the one before it, which somebody else answered
 * first.
 */
export function findSent(answers: ReadonlyMap<string, SentAnswer> | undefined, { steps, current }: Chain) {
  return answers?.get(current.interactionId) ?? answers?.get(steps.at(-1)?.interactionId ?? '');
}

export function isSameChain(a: Chain | undefined, b: Chain | undefined): boolean {
  if (a === b) return true;
  if (!a || !b || a.root !== b.root || a.current !== b.current || a.steps.length !== b.steps.length) return false;
  return a.steps.every((step, n) => step === b.steps[n]);
}

/** Returns the arguments that an edit starts with: those of the prompt itself, otherwise those of its call (APR2). */
export function argsOfPrompt({ current }: Chain, item: Item | undefined): Json | undefined {
  const own = current.request.payload.args;
  if (own !== undefined) return own;
  const call = callOf(item);
  return call && argsOf(call);
}

/** Returns the call of a tool's item. */
export function callOf(item: Item | undefined): Payload<'tool_call'> | undefined {
  return item?.kind === 'tool' ? item.call?.payload : undefined;
}

import type { Awaitable } from '@parleyhq/core';
import type { Prompt } from './prompt.ts';
import type { Reaction } from './reaction.ts';

/**
 * Answers to prompts: each prompt gets the next reaction of a list, or what a function of the prompt returns. If a function
 * returns undefined, the prompt stays open for the test to answer.
 */
export type Human = readonly Reaction[] | ((prompt: Prompt) => Awaitable<Reaction | undefined>);

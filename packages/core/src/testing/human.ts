import type { Awaitable } from '../basics/awaitable.ts';
import type { Prompt } from './prompt.ts';
import type { Reaction } from './reaction.ts';

/**
 * Who answers: each prompt in turn gets the next reaction of a list, or what a function of the prompt says. What a function leaves
 * undefined stays open, for the test to answer.
 */
export type Human = readonly Reaction[] | ((prompt: Prompt) => Awaitable<Reaction | undefined>);

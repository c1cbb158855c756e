import type { Usage as Reported } from './sdk.ts';

/** What a turn's requests cost, in tokens: the same members as the agent `anthropic` has. */
export type Usage = {
  readonly requests: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly cacheWriteTokens: number;
  readonly cacheReadTokens: number;
};

export const noUsage: Usage = {
  requests: 0,
  inputTokens: 0,
  outputTokens: 0,
  cacheWriteTokens: 0,
  cacheReadTokens: 0,
};

export function addUsage(a: Usage, b: Usage): Usage {
  return {
    requests: a.requests + b.requests,
    inputTokens: a.inputTokens + b.inputTokens,
    outputTokens: a.outputTokens + b.outputTokens,
    cacheWriteTokens: a.cacheWriteTokens + b.cacheWriteTokens,
    cacheReadTokens: a.cacheReadTokens + b.cacheReadTokens,
  };
}

/** One request's usage; a later report of the same request replaces what it names. */
export function readUsage(reported: Reported, before: Usage = noUsage): Usage {
  return {
    requests: 1,
    inputTokens: reported.input_tokens ?? before.inputTokens,
    outputTokens: reported.output_tokens ?? before.outputTokens,
    cacheWriteTokens: reported.cache_creation_input_tokens ?? before.cacheWriteTokens,
    cacheReadTokens: reported.cache_read_input_tokens ?? before.cacheReadTokens,
  };
}

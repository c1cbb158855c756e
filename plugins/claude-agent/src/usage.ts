import type { Usage as Reported } from './sdk.ts';

/** The tokens that a turn's requests used, in the same format as the agent `anthropic` reports. */
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

/** The usage of one request. A later report of the same request replaces the values it contains. */
export function readUsage(reported: Reported, before: Usage = noUsage): Usage {
  return {
    requests: 1,
    inputTokens: reported.input_tokens ?? before.inputTokens,
    outputTokens: reported.output_tokens ?? before.outputTokens,
    cacheWriteTokens: reported.cache_creation_input_tokens ?? before.cacheWriteTokens,
    cacheReadTokens: reported.cache_read_input_tokens ?? before.cacheReadTokens,
  };
}

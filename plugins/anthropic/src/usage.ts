import { noUsage, type TokenUsage } from '@parleyhq/core';

interface Counted {
  readonly input_tokens: number | null;
  readonly output_tokens: number;
  readonly cache_creation_input_tokens: number | null;
  readonly cache_read_input_tokens: number | null;
}

/** Reads the usage of one request. A later report of the same request replaces the values that it contains. */
export function readUsage(counted: Counted, before: TokenUsage = noUsage): TokenUsage {
  return {
    requests: 1,
    inputTokens: counted.input_tokens ?? before.inputTokens,
    outputTokens: counted.output_tokens,
    cacheWriteTokens: counted.cache_creation_input_tokens ?? before.cacheWriteTokens,
    cacheReadTokens: counted.cache_read_input_tokens ?? before.cacheReadTokens,
  };
}

import { noUsage, type TokenUsage } from '@parleyhq/core';
import type { Usage } from './sdk.ts';

/** The usage of one request. A later report of the same request replaces the values it contains. */
export function readUsage(reported: Usage, before: TokenUsage = noUsage): TokenUsage {
  return {
    requests: 1,
    inputTokens: reported.input_tokens ?? before.inputTokens,
    outputTokens: reported.output_tokens ?? before.outputTokens,
    cacheWriteTokens: reported.cache_creation_input_tokens ?? before.cacheWriteTokens,
    cacheReadTokens: reported.cache_read_input_tokens ?? before.cacheReadTokens,
  };
}

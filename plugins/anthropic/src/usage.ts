/** Cost of requests in tokens. `inputTokens` excludes input written to or read from the cache. */
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

interface Counted {
  readonly input_tokens: number | null;
  readonly output_tokens: number;
  readonly cache_creation_input_tokens: number | null;
  readonly cache_read_input_tokens: number | null;
}

/** Reads the usage of one request. A later report of the same request replaces the values that it contains. */
export function readUsage(counted: Counted, before: Usage = noUsage): Usage {
  return {
    requests: 1,
    inputTokens: counted.input_tokens ?? before.inputTokens,
    outputTokens: counted.output_tokens,
    cacheWriteTokens: counted.cache_creation_input_tokens ?? before.cacheWriteTokens,
    cacheReadTokens: counted.cache_read_input_tokens ?? before.cacheReadTokens,
  };
}

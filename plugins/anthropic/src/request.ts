import type { ToolOffer } from '@parleyhq/core';
import { toModelTool } from '@parleyhq/core/schemas';
import type { ContentBlock, ContentBlockParam, MessageParam, MessageRequest } from './messages-client.ts';

export const defaultAnthropicModel = 'claude-sonnet-5-5';

export interface RequestOptions {
  readonly system: string;
  /** Limit for one message, including its thinking. */
  readonly maxTokens: number;
  /** A number is a budget in tokens, for models that require one. */
  readonly thinking: 'adaptive' | 'off' | number;
  /** How long the provider caches what was sent. */
  readonly cacheTtl: '5m' | '1h';
}

/**
 * Builds the request for the next part of a message.
 * @param written - what the model wrote of the message before it paused
 */
export function makeRequest(
  options: RequestOptions,
  model: string,
  tools: readonly ToolOffer[],
  messages: readonly MessageParam[],
  written: readonly ContentBlock[],
): MessageRequest {
  const { system, maxTokens, cacheTtl } = options;
  const cache = { cache_control: { type: 'ephemeral', ttl: cacheTtl } } as const;
  const paused: readonly MessageParam[] = written.length > 0 ? [{ role: 'assistant', content: [...written] }] : [];
  return toWellFormed({
    model,
    max_tokens: maxTokens,
    thinking: toThinking(options.thinking),
    system: [{ type: 'text', text: system, ...cache }],
    ...(tools.length > 0 && { tools: tools.map(toTool) }),
    messages: [...markCached(messages, cache), ...paused],
  });
}

/** Limit for one reply to a comment, besides a budget for its thinking. */
const replyTokens = 8000;

/**
 * Builds the request for a reply to a comment. No tool may be called, but the API needs to know the tools that were. Nothing of
 * the messages is cached for it: without a choice of tools the provider keeps them apart.
 */
export function makeReplyRequest(
  options: RequestOptions,
  model: string,
  tools: readonly ToolOffer[],
  messages: readonly MessageParam[],
): MessageRequest {
  const budget = typeof options.thinking === 'number' ? options.thinking : 0; // must be below the limit
  const limited = { ...options, maxTokens: Math.min(options.maxTokens, budget + replyTokens) };
  const request = makeRequest(limited, model, tools, messages, []);
  return {
    ...request,
    messages: toWellFormed([...messages]),
    ...(tools.length > 0 && { tool_choice: { type: 'none' } }),
  };
}

/** Replaces unpaired surrogates: the API would reject this request and every later one that contains them (AGT8). */
function toWellFormed<Value>(value: Value): Value {
  if (typeof value === 'string') return value.replace(/\p{Surrogate}/gu, '\ufffd') as Value;
  if (Array.isArray(value)) return value.map(toWellFormed) as Value;
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).map(([name, member]) => [toWellFormed(name), toWellFormed(member)]);
  return Object.fromEntries(entries) as Value;
}

function toThinking(thinking: RequestOptions['thinking']): NonNullable<MessageRequest['thinking']> {
  if (thinking === 'off') return { type: 'disabled' };
  if (thinking === 'adaptive') return { type: 'adaptive', display: 'summarized' };
  return { type: 'enabled', budget_tokens: thinking, display: 'summarized' };
}

function toTool({ name, ...offer }: ToolOffer) {
  const { description, schema } = toModelTool(offer);
  return { name, description, input_schema: { ...schema, type: 'object' } } as const;
}

/** Marks the ends of the last two user messages: the cache is read up to the first and written up to the second. */
function markCached(messages: readonly MessageParam[], cache: object): MessageParam[] {
  const marked = new Set(messages.filter(({ role }) => role === 'user').slice(-2));
  return messages.map((message) => {
    const { content } = message;
    const last = content.at(-1);
    if (!marked.has(message) || !last) return message;
    return { ...message, content: [...content.slice(0, -1), { ...last, ...cache } as ContentBlockParam] };
  });
}

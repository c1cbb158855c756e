import type { ToolOffer } from '@parleyhq/core';
import type { ContentBlock, ContentBlockParam, MessageParam, MessageRequest } from './messages-client.ts';

export interface RequestOptions {
  readonly system: string;
  /** Of one message, its thinking counted. */
  readonly maxTokens: number;
  /** A number is a budget in tokens, for models that need one. */
  readonly thinking: 'adaptive' | 'off' | number;
  /** How long the provider's cache keeps what was sent. */
  readonly cacheTtl: '5m' | '1h';
}

/**
 * @param written what the model has written of its message already, before it paused
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
  return {
    model,
    max_tokens: maxTokens,
    thinking: toThinking(options.thinking),
    system: [{ type: 'text', text: system, ...cache }],
    ...(tools.length > 0 && { tools: tools.map(toTool) }),
    messages: [...markCached(messages, cache), ...paused],
  };
}

function toThinking(thinking: RequestOptions['thinking']): NonNullable<MessageRequest['thinking']> {
  if (thinking === 'off') return { type: 'disabled' };
  if (thinking === 'adaptive') return { type: 'adaptive', display: 'summarized' };
  return { type: 'enabled', budget_tokens: thinking, display: 'summarized' };
}

function toTool({ name, description, parameters: { $schema: _, ...schema } }: ToolOffer) {
  return { name, description, input_schema: { ...schema, type: 'object' } } as const;
}

/** The ends of the last two user messages: one is read from the cache, the other is written to it. */
function markCached(messages: readonly MessageParam[], cache: object): MessageParam[] {
  const marked = new Set(messages.filter(({ role }) => role === 'user').slice(-2));
  return messages.map((message) => {
    const { content } = message;
    const last = content.at(-1);
    if (!marked.has(message) || !last) return message;
    return { ...message, content: [...content.slice(0, -1), { ...last, ...cache } as ContentBlockParam] };
  });
}

import type { Anthropic } from '@anthropic-ai/sdk';

export type MessageRequest = Anthropic.MessageCreateParamsNonStreaming;
export type Message = Anthropic.Message;

export interface MessagesOptions {
  readonly apiKey: string;
  readonly baseURL: string;
}

/**
 * Asks the Messages API once. Sets everything that the SDK would otherwise read from the environment or the disk, and turns off
 * its retries. @throws the SDK's error, or the signal's reason
 */
export async function askModel(
  { apiKey, baseURL }: MessagesOptions,
  request: MessageRequest,
  signal: AbortSignal,
): Promise<Message> {
  const { Anthropic } = await import('@anthropic-ai/sdk'); // loaded on demand
  const client = new Anthropic({
    apiKey,
    authToken: null,
    baseURL,
    defaultHeaders: { authorization: `Bearer ${apiKey}` }, // overrides ANTHROPIC_CUSTOM_HEADERS, which the SDK adds by itself
    maxRetries: 0,
    logLevel: 'off',
    openTelemetry: false,
  });
  return client.messages.stream(request, { signal }).finalMessage();
}

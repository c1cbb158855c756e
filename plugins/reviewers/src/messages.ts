import type { Anthropic } from '@anthropic-ai/sdk';

export type MessageRequest = Anthropic.MessageCreateParamsNonStreaming;
export type Message = Anthropic.Message;

export interface MessagesOptions {
  readonly apiKey: string;
  readonly baseURL: string;
}

export interface ModelReply {
  readonly message: Message;
  /** The JSON of its tool calls as it was streamed: of two members with one name, the SDK keeps only the last. */
  readonly json: string;
}

/**
 * Asks the Messages API once. Sets everything that the SDK would otherwise read from the environment or the disk, and turns off
 * its retries. @throws the SDK's error, or the signal's reason
 */
export async function askModel(
  { apiKey, baseURL }: MessagesOptions,
  request: MessageRequest,
  signal: AbortSignal,
): Promise<ModelReply> {
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
  const stream = client.messages.stream(request, { signal });
  let json = '';
  stream.on('inputJson', (piece) => {
    json += piece;
  });
  return { message: await stream.finalMessage(), json };
}

import { type InteractionComment, nameOf, type Payload, type TurnInput } from '@parleyhq/core';
import { type MissingResult, readConversation } from './conversation.ts';
import type { MessageParam, MessagesClient } from './messages-client.ts';
import { defaultAnthropicModel, makeReplyRequest, type RequestOptions } from './request.ts';

/**
 * Lets the model reply to a comment on an open prompt of one of its calls: a separate request with the same conversation,
 * of which only the reply is stored (REV4).
 * @throws MessagesError
 */
export async function replyToComment(
  client: MessagesClient,
  options: RequestOptions,
  turn: TurnInput,
  comment: InteractionComment,
  signal: AbortSignal,
): Promise<string | undefined> {
  const { messages } = await readConversation(turn, undecided);
  const last = messages.at(-1);
  const isAnswered = last?.role === 'user'; // by results of calls
  const content = [...(isAnswered ? last.content : []), text(await describe(turn, comment))];
  const { model = defaultAnthropicModel, tools } = turn;
  const asked: MessageParam = { role: 'user', content };
  const request = makeReplyRequest(options, model, tools, [...(isAnswered ? messages.slice(0, -1) : messages), asked]);
  const message = await drain(client.stream(request, signal));
  const words = message.content.flatMap((block) => (block.type === 'text' ? [block.text] : [])).join('\n');
  return words.trim() === '' ? undefined : words.trim();
}

/** Returns what a generator returns, without its values. */
async function drain<Returned>(parts: AsyncGenerator<unknown, Returned>): Promise<Returned> {
  let part = await parts.next();
  while (!part.done) part = await parts.next();
  return part.value;
}

/** Stands for the results of the calls that are still open. */
const undecided: MissingResult = { type: 'tool_result', content: 'Not decided yet: people are still reading it.' };

/** Describes the prompt and what was said under it up to the comment. */
async function describe(turn: TurnInput, { interactionId, commentId, by }: InteractionComment): Promise<string> {
  const events = await turn.read(turn.startSeq);
  const request = events.find(
    ({ type, payload }) => type === 'interaction_request' && payload.interactionId === interactionId,
  )?.payload as Payload<'interaction_request'> | undefined;
  const comments = events.flatMap((event) =>
    event.type === 'interaction_comment' && event.payload.interactionId === interactionId ? [event.payload] : [],
  );
  const upTo = comments.slice(0, comments.findIndex((each) => each.commentId === commentId) + 1);
  const about = request?.title ?? request?.prompt ?? 'it';
  return [
    `Your call of ${request?.toolName ?? 'a tool'} still waits: people were asked “${about}”, and discuss it before they decide.`,
    ...upTo.map((each) => `${each.isAskers ? 'You' : nameOf(each.by)}: ${indent(each.text)}`),
    `Reply to ${nameOf(by)}, who wrote last: two or three plain sentences at most. This decides nothing, and you cannot call tools now.`,
  ].join('\n');
}

/** Indents all lines but the first, so that no comment looks like one of somebody else. */
function indent(words: string): string {
  return words.replace(/\r\n?|[\n\u2028\u2029]/g, '\n  ');
}

function text(words: string) {
  return { type: 'text', text: words } as const;
}

import type { InteractionRequest } from '@parleyhq/core';
import { callTool, type FakeReply, type SentBody, say, think } from '@parleyhq/plugin-anthropic/testing';
import { beforeAll, expect, test } from 'vitest';
import { called, useModelServer } from '../support/model-server.ts';

const model = useModelServer();
beforeAll(async () => {
  model.api.otherwise(play);
});

/** A model that thinks, calls two tools at once, one of which asks, and reports that it is done. */
function play({ messages }: SentBody): FakeReply {
  if (messages.at(-1)?.content.at(-1)?.type === 'tool_result') return { content: [think('Good.'), say('All done.')] };
  const n = model.api.requests.length;
  const calls = [callTool(`e${n}`, 'echo', { n }), callTool(`q${n}`, 'ask_user', { question: 'Go on?' })];
  return { content: [think('Let me see.'), say('I call two.'), ...calls] };
}

/** Approves or answers every prompt, also after a reconnect. */
function agreeToAll(): void {
  const { tab, session } = model.journey;
  const agree = (prompt: InteractionRequest) => {
    const isForm = prompt.interactionType === 'input';
    const answer = isForm ? { action: 'submit', input: { answer: 'yes' } } : { action: 'approve' };
    void tab.answer(session, prompt, answer).catch(() => undefined); // the server may have been killed
  };
  const seen = new Set<string>();
  const look = () => {
    for (const event of tab.events(session)) {
      if (event.type !== 'interaction_request' || seen.has(event.payload.interactionId)) continue;
      seen.add(event.payload.interactionId);
      agree(event.payload);
    }
  };
  tab.onFrame(look);
  look();
}

test.each(Array.from({ length: 12 }, (_, n) => n + 1))(
  '[DUR7, AGT2] killed after frame %i of a turn, it ends as if nothing had happened, and no request is refused',
  async (n) => {
    const { seq } = model;
    const before = model.journey.tab.frames.length;
    let frames = 0;
    agreeToAll();
    await model.say(`Turn ${n}`);
    await model.journey.tab.until((frame) => {
      if (frame.type === 'chat_event' || frame.type === 'stream') frames += 1;
      return frames === n || (frame.type === 'chat_event' && frame.event.type === 'turn_end');
    }, before);
    await model.crash();
    agreeToAll();
    expect(await model.end(seq)).toMatchObject({ status: 'completed', usage: { requests: 2, inputTokens: 20 } });
    const events = model.journey.events().filter((event) => event.seq > seq);
    expect(events.filter(({ type }) => type === 'assistant_done').map(({ payload }) => payload)).toEqual([
      { block: 1, text: 'I call two.' },
      { block: 1, text: 'All done.' },
    ]);
    const calls = events.flatMap((event) => (event.type === 'tool_call' ? [event.payload.toolCallId] : []));
    const results = events.filter(({ type }) => type === 'tool_result');
    expect([calls.length, results.length]).toEqual([2, 2]);
    const last = model.api.requests.at(-1)?.body.messages ?? [];
    expect(last.at(-2)?.content.slice(-2)).toEqual([
      called(calls[0]!, 'echo', { n: Number(calls[0]!.slice(1)) }),
      called(calls[1]!, 'ask_user', { question: 'Go on?' }),
    ]);
    expect(last.at(-1)?.content).toMatchObject([
      { type: 'tool_result', tool_use_id: calls[0], content: JSON.stringify({ n: Number(calls[0]!.slice(1)) }) },
      { type: 'tool_result', tool_use_id: calls[1], content: '{"ok":true,"answer":"yes"}' },
    ]);
  },
);

import type { ClientFrame, Connection, InteractionRequest, ServerFrame } from '@parleyhq/core';
import { definePlugin } from '@parleyhq/core';
import { expect, onTestFinished, test, vi } from 'vitest';
import { compose } from '../../src/compose.ts';
import { Gateway } from '../../src/connection/gateway.ts';
import { openMemoryStore } from '../../src/testing/memory-store.ts';

const timeoutMs = 123_456;

const asker = definePlugin({
  name: 'asker',
  tools: [
    {
      name: 'ask',
      description: 'Asks twice.',
      parameters: { type: 'object' },
      async handler(_, ctx) {
        const first = await ctx.requestInteraction({ type: 'approval', timeoutMs });
        const second = await ctx.requestInteraction({ type: 'approval', timeoutMs });
        return [first, second].map((answer) => (answer as { action: string }).action);
      },
    },
  ],
});

/** Creates a server and connections that pass every frame to their client inside `send`, as no real transport does. */
async function openServer() {
  const parts = compose({ store: openMemoryStore(), plugins: [asker], framesPerSecond: 100_000 });
  await parts.hub.recover();
  onTestFinished(() => parts.stop());
  const connect = (id: string, onFrame: (frame: ServerFrame) => void) => {
    const connection: Connection = {
      id,
      send: ({ texts }) => {
        for (const text of texts) onFrame(JSON.parse(text));
      },
      drained: async () => undefined,
      close: () => undefined,
    };
    const gateway = new Gateway(parts.gateway, connection, { transport: 'sync', address: '', admission });
    const send = (frame: ClientFrame) => void gateway.receive(JSON.stringify(frame));
    send({ type: 'hello', protocol: 1, interaction: { supported: true, enabled: true } });
    return send;
  };
  return { parts, connect };
}

const admission = { principal: { id: 'owner', role: 'operator' }, credential: {} } as const;

const approve = (sessionId: string, { interactionId, toolCallId }: InteractionRequest): ClientFrame => ({
  type: 'tool_interaction_response',
  sessionId,
  callId: toolCallId,
  interactionId,
  action: 'approve',
});

test.each([
  ['chat_event', true],
  ['interaction_opened', false],
] as const)('[INT1] a client that answers inside the sending of %s is never too early', async (_, isFollowing) => {
  const { parts, connect } = await openServer();
  const timers = vi.spyOn(globalThis, 'setTimeout');
  onTestFinished(() => timers.mockRestore());
  const { id: sessionId } = await parts.hub.create({ agent: 'demo' });
  const { session } = await parts.hub.open(sessionId);
  const woken: string[] = [];
  const armed: boolean[] = [];
  const onRequest = (request: InteractionRequest) => {
    const hasTimer = timers.mock.calls.some(([, ms]) => ms !== undefined && ms > timeoutMs - 60_000 && ms <= timeoutMs);
    armed.push(hasTimer && woken.includes(request.interactionId));
    timers.mockClear();
    send(approve(sessionId, request));
  };
  const result = new Promise<unknown>((resolve) => {
    connect('reader', (frame) => {
      if (frame.type === 'chat_event' && frame.event.type === 'tool_result') resolve(frame.event.payload.result);
    })({ type: 'subscribe', sessionId });
  });
  let isLive = () => {};
  const live = new Promise<void>((resolve) => {
    isLive = resolve;
  });
  const send = connect('answerer', (frame) => {
    if (frame.type === 'live') isLive();
    if (frame.type === 'chat_event' && frame.event.type === 'interaction_request') onRequest(frame.event.payload);
    if (frame.type === 'interaction_opened') onRequest(frame.interaction as InteractionRequest);
  });
  session.observe({
    onChange({ events }) {
      for (const { type, payload } of events) if (type === 'interaction_request') woken.push(payload.interactionId);
    },
  });
  if (isFollowing) {
    send({ type: 'subscribe', sessionId });
    await live; // until then events arrive in pages
  }
  send({ type: 'user_message', sessionId, messageId: 'm', text: '/call ask {}' });
  expect(await result).toEqual(['approve', 'approve']);
  expect(armed).toEqual([true, true]);
});

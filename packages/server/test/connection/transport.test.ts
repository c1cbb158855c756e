import { connectHttp } from '@parleyhq/client';
import { definePlugin } from '@parleyhq/core';
import { testTransport } from '@parleyhq/server/testing';
import { WebSocket } from 'ws';
import { useLocalServer } from '../support/local-server.ts';

const asker = definePlugin({
  name: 'asker',
  tools: [
    {
      name: 'ask_user',
      description: 'Asks.',
      parameters: { type: 'object' },
      handler: (_, ctx) =>
        ctx.requestInteraction({
          type: 'input',
          inputSchema: { type: 'form', fields: [{ id: 'answer', type: 'text', label: 'Answer' }] },
          onResponse: ({ input }) => ({ complete: input }),
        }),
    },
  ],
});

const local = useLocalServer({ plugins: [asker] });

testTransport('WebSocket', async ({ onMessage, onClose }) => {
  const socket = new WebSocket(`ws://127.0.0.1:${local.port}/ws`);
  socket.on('message', (data) => onMessage(String(data)));
  socket.on('close', onClose);
  await new Promise((resolve, reject) => socket.once('open', resolve).once('error', reject));
  return { send: (text) => socket.send(text), close: () => socket.close() };
});

testTransport('HTTP', ({ onMessage, onClose }) => {
  return new Promise((resolve) => {
    const link = connectHttp(local.httpUrl)({ onText: onMessage, onClose, onOpen: () => resolve(link) });
  });
});

testTransport('in process', async (handlers) => local.server.connect(handlers));

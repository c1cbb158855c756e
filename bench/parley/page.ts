import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { defineTool, type FormSchema } from '@parleyhq/core';
import { openSqliteStore, ParleyServer } from '@parleyhq/server';
import { serveCalls } from '../process/child.ts';
import { eventsPerStep, makeStep } from '../process/talk.ts';
import { idleAgent } from './session-writer.ts';

const [dataDir = '.'] = process.argv.slice(2);

const fill = defineTool({
  name: 'bench_form',
  description: 'Asks for many things.',
  parameters: { type: 'object' },
  async handler(args, ctx) {
    const { fields } = args as unknown as { fields: number };
    const inputSchema: FormSchema = {
      type: 'form',
      fields: Array.from({ length: fields }, (_, n) => ({ id: `f${n}`, type: 'text', label: `Field ${n}` })),
    };
    return ctx.requestInteraction({
      type: 'input',
      key: 'form',
      title: 'Many things',
      inputSchema,
      timeoutMs: null,
      onUnavailable: 'wait',
    });
  },
});

const server = new ParleyServer({
  store: openSqliteStore(join(dataDir, 'page.db'), { durability: 'full' }),
  plugins: [{ name: 'bench', tools: [fill] }],
  agents: [idleAgent],
  dataDir,
  assetsDir: fileURLToPath(new URL('../../packages/web/dist', import.meta.url)),
  quotas: { messagesPerHour: 1e9, storedBytesPerHour: 1e12 },
});
let origin = '';

const methods = {
  async listen() {
    origin = `http://127.0.0.1:${await server.listen({ port: 0, host: '127.0.0.1' })}`;
  },
  /** The address of a session with this many events. */
  async fillTranscript(count: number) {
    const { id } = await server.hub.create({ agent: idleAgent.name });
    const { session } = await server.hub.open(id);
    const message = { messageId: randomUUID(), text: 'Begin.', origin: 'user' } as const;
    await session.perform({ type: 'send', message });
    const turnId = session.head.turn?.turnId ?? '';
    const write = async (n: number) => {
      const { thinking, text, args, result } = makeStep(n);
      const [responseId, toolCallId] = [randomUUID(), randomUUID()];
      const blocks = [
        { kind: 'thinking', block: 0, text: thinking },
        { kind: 'text', block: 1, text },
      ] as const;
      const call = { toolCallId, toolName: 'read_file', args, authorised: { by: 'tool' } } as const;
      await Promise.all([
        session.perform({ type: 'write', turnId, responseId, blocks, calls: [call] }),
        session.perform({ type: 'return', toolCallId, returned: { result } }),
      ]);
    };
    const steps = Math.floor((count - session.head.seq) / eventsPerStep);
    for (let from = 0; from < steps; from += 100) {
      await Promise.all(Array.from({ length: Math.min(100, steps - from) }, (_, n) => write(from + n)));
    }
    await session.perform({ type: 'end_turn', turnId, status: 'completed' });
    return `${origin}/s/${id}`;
  },
  /** The address of a session with a form of this many fields open. */
  async openForm(fields: number) {
    const { id } = await server.hub.create({ agent: 'demo' });
    const { session } = await server.hub.open(id);
    const text = `/call bench_form ${JSON.stringify({ fields })}`;
    await session.perform({ type: 'send', message: { messageId: randomUUID(), text, origin: 'user' } });
    return `${origin}/s/${id}`;
  },
};

export type PageMethods = typeof methods;

serveCalls(methods);

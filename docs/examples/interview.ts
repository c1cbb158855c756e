import { definePlugin, defineTool, type ToolContext } from '@parleyhq/core';
import * as z from 'zod';

const topics = ['past', 'present', 'future'];

/** Three parallel branches with two questions each: the keys identify the questions. */
const interview = defineTool({
  name: 'interview',
  description: 'Ask about three topics at once, and once more about each.',
  parameters: z.object({}),
  readOnly: true,
  async handler(_args, ctx) {
    const answers = await Promise.all(
      topics.map(async (topic) => [
        await ask(ctx, `${topic}:first`, `What about the ${topic}?`),
        await ask(ctx, `${topic}:second`, `And what else about the ${topic}?`),
      ]),
    );
    return Object.fromEntries(topics.map((topic, index) => [topic, answers[index]]));
  },
});

async function ask(ctx: ToolContext, key: string, prompt: string): Promise<unknown> {
  const answer = await ctx.requestInteraction({
    type: 'input',
    key,
    prompt,
    inputSchema: { type: 'form', fields: [{ id: 'text', type: 'textarea', label: 'Answer' }] },
  });
  return answer.input?.text ?? null;
}

export default definePlugin({ name: 'interview', tools: [interview] });

import { callTool, say } from '@parleyhq/plugin-anthropic/testing';
import { expect, test } from 'vitest';
import { useModelServer } from '../support/model-server.ts';

const model = useModelServer({ system: 'Be brief.', maxTokens: 4096, cacheTtl: '1h' });

/** A pixel. */
const dot = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

const image = [
  { type: 'text', text: 'Attached, dot.png:' },
  { type: 'image', source: { type: 'base64', media_type: 'image/png', data: dot } },
];

/** Uploads a picture and a log. @param path - of the prompt that they answer; for a message, nothing */
async function attach(path = ''): Promise<{ fileId: string }[]> {
  const upload = async (name: string, body: string | Uint8Array<ArrayBuffer>) => {
    const headers = {
      'upload-length': String(Buffer.byteLength(body)),
      'content-type': 'text/plain',
      'content-disposition': `attachment; filename="${name}"`,
    };
    const address = `${model.server.httpUrl}/api/sessions/${model.journey.session}${path}/files`;
    return (await (await fetch(address, { method: 'POST', headers, body })).json()) as { fileId: string };
  };
  return [await upload('dot.png', new Uint8Array(Buffer.from(dot, 'base64'))), await upload('log.txt', 'E42')];
}

test('[REV6] the model sees an image that a person attached to an answer, and reads the names of all files', async () => {
  await model.ask('Go on', { content: [callTool('p1', 'progress', {})] }, { content: [say('I see it.')] });
  const prompt = await model.journey.tab.prompt(model.journey.session);
  const files = await attach(`/interactions/${prompt.interactionId}`);
  await model.journey.answer(prompt, { action: 'submit', input: {}, files });
  expect(await model.end()).toMatchObject({ status: 'completed' });
  const [, , seen] = await model.sent(2);
  const named = expect.stringContaining('Attached: dot.png (70 bytes), log.txt (3 bytes)');
  expect(seen).toMatchObject({ role: 'user', content: [{ tool_use_id: 'p1', content: named }, ...image] });
});

test('[REV6] the model sees the images of messages, and reads the names of all files', async () => {
  await model.ask('Hello', { content: [say('Hello.')] }, { content: [say('A dot.')] }, { content: [say('Yes.')] });
  const { tab, session: sessionId } = model.journey;
  const files = await attach();
  await tab.ask({ type: 'user_message', sessionId, messageId: 'm-1', text: 'What is this?', files });
  await tab.ask({ type: 'user_message', sessionId, messageId: 'm-2', text: '', files: files.slice(0, 1) });
  const [, , first, , second] = await model.sent(3);
  const words = 'What is this?\n\nAttached: dot.png (70 bytes), log.txt (3 bytes)';
  expect(first).toMatchObject({ role: 'user', content: [{ type: 'text', text: words }, ...image] });
  expect(second).toMatchObject({
    role: 'user',
    content: [{ type: 'text', text: 'Attached: dot.png (70 bytes)' }, ...image],
  });
});

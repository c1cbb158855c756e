import { useInTest } from '@parleyhq/server/testing';
import { expect, test } from 'vitest';
import { ann, labelsOf } from './asking.ts';
import { BotApi, botToken } from './bot-api.ts';
import { start } from './start.ts';

const question = { question: 'Tea or coffee?', options: ['Tea', 'Coffee'] };

test('[CHAT2, CHAT4] parley token link makes a code, list shows the link, and a killed server loses no press', async () => {
  const api = await useInTest(new BotApi());
  const server = await start(api);
  const json = async (...words: string[]) => JSON.parse((await server.run(...words, '--json')).stdout);
  const { id } = await json('token', 'create', '--role', 'responder', '--name', 'ann');
  const made = await json('token', 'link', 'ann');
  expect(made).toEqual({ code: expect.stringMatching(/^[0-9a-z]{16}$/), expiresAt: expect.stringContaining('T') });
  api.write(ann, `/start ${made.code}`);
  await api.message(({ text }) => text.includes('is linked to ann'));
  expect(await json('token', 'list')).toMatchObject({
    id,
    links: [{ id: expect.any(String), notifier: 'telegram', account: { id: String(ann.id), name: 'Ann' } }],
  });

  const tab = await server.tab();
  const prompt = await tab.ask('ask_user', question);
  const card = await api.message(({ text }) => text.includes('Tea or coffee?'));
  await server.kill();
  api.press(ann, card, 'Coffee');
  await server.restart();
  await expect.poll(() => card.text, { timeout: 60_000 }).toContain('Answered “Coffee” by ann, in Telegram (Ann)');
  expect(labelsOf(card)).toEqual(['Open']);
  const isOurs = ({ payload }: { payload: { interactionId: string } }) =>
    payload.interactionId === prompt.interactionId;
  await tab.event('interaction_response', isOurs);
  const answers = tab
    .events('interaction_response')
    .filter(({ payload }) => payload.interactionId === prompt.interactionId);
  expect(answers).toHaveLength(1);

  const next = await tab.ask('ask_user', question);
  const open = await api.message(({ buttons }) =>
    buttons.some((button) => 'url' in button && button.url.endsWith(`/${next.interactionId}`)),
  );
  const tea = open.buttons[0] as { callback_data: string };
  await server.run('token', 'revoke', id);
  api.pressData(ann, open, tea.callback_data);
  await api.call(({ method, params }) => method === 'answerCallbackQuery' && /not linked/.test(params.text));
  expect((await json('token', 'list').catch(() => ({ id: 'none' }))).id).toBe('none');
  expect(server.log).not.toContain(botToken);
});

import { expect, test } from 'vitest';
import { actor } from '../../test/support/samples.ts';
import { codeOf, World } from '../../test/support/world.ts';
import type { InteractionId } from '../basics/id.ts';
import { limits } from '../basics/limits.ts';
import { emptyItems, type InteractionItem, reduceItems } from '../log/items.ts';
import { renderMarkdown } from '../transcript/markdown.ts';
import { makeTranscript } from '../transcript/transcript.ts';

const ann = { ...actor('tab-ann'), principal: 'ann', name: 'Ann' };
const session = { id: 's', title: 'Release', createdAt: '2026-03-01T09:00:00.000Z' };

function comment(
  world: World,
  interactionId: InteractionId,
  text: string,
  parts: { isReplyUnknown?: boolean; isAskers?: true } = {},
) {
  const [toolCallId = ''] = interactionId.split('.');
  const { isAskers, ...rest } = parts;
  const said = { commentId: world.name('comment'), text, by: ann, ...(isAskers && { isAskers }) };
  return world.do({ type: 'comment', comment: { toolCallId, interactionId, ...said }, ...rest });
}

test('[REV4] a comment is part of the log, settles nothing and moves no deadline', () => {
  const world = new World();
  const id = world.ask({ timeoutMs: 60_000 });
  const before = world.promptOf(id);
  expect(codeOf(comment(world, id, 'Why this branch?'))).toBe('accepted');
  expect(world.log.at(-1)).toMatchObject({
    type: 'interaction_comment',
    turnId: before.turnId,
    payload: { interactionId: id, text: 'Why this branch?', by: { name: 'Ann' } },
  });
  expect(world.promptOf(id)).toEqual({
    ...before,
    comments: {
      ...{ count: 1, seq: world.log.at(-1)?.seq, at: world.log.at(-1)?.timestamp },
      ...{ person: 'ann', by: 'Ann', text: 'Why this branch?' },
    },
  });
  expect(codeOf(world.answer(id))).toBe('accepted');
});

test('[REV4] a prompt that is pending can be discussed, one that is settled or does not exist cannot', () => {
  const world = new World();
  const id = world.ask({ timeoutMs: 1000 });
  world.expire(id);
  expect(codeOf(comment(world, id, 'Wait.'))).toBe('accepted');
  const other = world.ask();
  world.answer(other);
  expect(codeOf(comment(world, other, 'Too late.'))).toBe('closed');
  expect(codeOf(comment(world, 'nowhere.1', 'Hello?'))).toBe('closed');
});

test('[REV4, SEC6] a comment has a visible character, at most 8 KiB, and answers one that exists', () => {
  const world = new World();
  const id = world.ask();
  expect(codeOf(comment(world, id, ' \u200b'))).toBe('invalid');
  expect(codeOf(comment(world, id, 'é'.repeat(limits.commentBytes / 2)))).toBe('accepted');
  expect(comment(world, id, 'é'.repeat(limits.commentBytes / 2 + 1))).toMatchObject({
    refusal: { code: 'invalid', details: { limit: 'commentBytes' } },
  });
  expect(codeOf(comment(world, id, 'Yes.', { isReplyUnknown: true }))).toBe('not_found');
});

test(`[REV4, SEC6] a prompt has at most ${limits.comments} comments`, () => {
  const world = new World();
  const [id, other] = [world.ask(), world.ask()];
  for (let n = 0; n < limits.comments; n += 1) expect(codeOf(comment(world, id, `${n}`))).toBe('accepted');
  expect(comment(world, id, 'more')).toMatchObject({ refusal: { code: 'invalid', details: { limit: 'comments' } } });
  expect(codeOf(comment(world, other, 'here'))).toBe('accepted');
});

test('[REV4, SEC6] whoever asks has replies of its own number: neither side can silence the other', () => {
  const world = new World();
  const id = world.ask();
  const reply = (text: string) => comment(world, id, text, { isAskers: true });
  for (let n = 0; n < limits.comments; n += 1) {
    expect(codeOf(reply(`a ${n}`))).toBe('accepted');
    expect(codeOf(reply(`b ${n}`))).toBe('accepted');
    expect(codeOf(comment(world, id, `${n}`))).toBe('accepted');
  }
  for (const refused of [reply('more'), comment(world, id, 'more')])
    expect(refused).toMatchObject({ refusal: { code: 'invalid', details: { limit: 'comments' } } });
  expect(world.promptOf(id).comments).toMatchObject({ count: 3 * limits.comments, replies: 2 * limits.comments });
});

test('[REV4, EVT3] comments are read in order from any pages of the log, and exported with their prompt', () => {
  const world = new World();
  const id = world.ask();
  comment(world, id, 'First.');
  comment(world, id, 'Second.');
  world.answer(id);
  const texts = (pages: readonly number[]) => {
    const parts = pages.map((from, n) => world.log.slice(from, pages[n + 1]));
    const items = [...parts].reverse().reduce(reduceItems, emptyItems);
    const item = items.get(`interaction:${id}`) as InteractionItem;
    return item.comments?.map(({ payload }) => payload.text);
  };
  const at = world.log.findIndex(({ type }) => type === 'interaction_comment');
  for (const pages of [[0], [0, at], [0, at + 1], [0, at, at + 1, at + 2]])
    expect(texts(pages)).toEqual(['First.', 'Second.']);
  const text = [...renderMarkdown(makeTranscript(session, world.log, '2026-03-01T10:00:00.000Z'))].join('');
  expect(text).toMatch(/Comment by.*Ann[\s\S]*First\.[\s\S]*Comment by.*Ann[\s\S]*Second\.[\s\S]*Allowed once/);
});

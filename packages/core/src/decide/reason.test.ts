import { expect, test } from 'vitest';
import { actor, approvalDraft } from '../../test/support/samples.ts';
import { codeOf, detailsOf, World } from '../../test/support/world.ts';
import { interactionSpecSchema } from '../prompt/interaction.ts';

const needsReason = { reasonRequired: ['deny'] } satisfies Partial<typeof approvalDraft>;

test.each([undefined, '', ' \n', '\u200b'])(
  '[TEAM5] a denial that needs a reason, and has %j, is invalid',
  (reason) => {
    const world = new World();
    const id = world.ask(needsReason);
    const decision = world.answer(id, { action: 'deny', reason });
    expect(codeOf(decision)).toBe('invalid');
    expect(detailsOf(decision)).toEqual({ fieldErrors: { reason: 'This answer must say why.' } });
    expect(world.promptOf(id).state).toBe('open');
    expect(codeOf(world.answer(id, { action: 'deny', reason: 'Not on a Friday.' }))).toBe('accepted');
  },
);

test('[TEAM5] only the actions in the request need a reason', () => {
  const world = new World();
  expect(codeOf(world.answer(world.ask(needsReason)))).toBe('accepted');
});

test('[TEAM5, APR4] a grant needs no reason', () => {
  const world = new World();
  const id = world.ask({ reasonRequired: ['approve'], grantKey: 'key' });
  expect(codeOf(world.answer(id, { answerId: 'grant:g', grantId: 'g', by: actor() }))).toBe('accepted');
});

test('[TEAM5, DUR5] the required reasons are not part of the digest', () => {
  const world = new World();
  expect(world.requestOf(world.ask(needsReason))?.digest).toBe(approvalDraft.digest);
});

test('[TEAM5] a request lists at least one action', () => {
  const parse = (reasonRequired: unknown) => interactionSpecSchema.safeParse({ type: 'approval', reasonRequired });
  expect(parse(['approve', 'deny', 'cancel']).success).toBe(true);
  expect(parse([]).success).toBe(false);
  expect(parse(['shrug']).success).toBe(false);
});

import { expect, test } from 'vitest';
import { approvalDraft } from '../../test/support/samples.ts';
import { codeOf, detailsOf, World } from '../../test/support/world.ts';
import { auditOf } from '../log/audit.ts';
import { describeAnswer } from '../prompt/answer.ts';
import { makeTranscript, renderMarkdown } from '../transcript/index.ts';

const { digest } = approvalDraft;
const subject = { kind: 'markdown', text: '1. Build\n2. Deploy' } as const;
const remark = { lines: [2, 2], quote: '2. Deploy', comment: 'Not on a Friday.' } as const;
const annotations = [remark];

function begin(more: Parameters<World['ask']>[0] = {}) {
  const world = new World();
  return { world, id: world.ask({ subject, ...more }) };
}

test.each(['approve', 'deny', 'cancel'] as const)('[REV1, REV2] annotations go with %s, into its event', (action) => {
  const { world, id } = begin();
  expect(codeOf(world.answer(id, { action, digest, annotations }))).toBe('accepted');
  expect(world.log.at(-1)?.payload).toMatchObject({ action, annotations });
});

test('[REV1] an answer without annotations stores none', () => {
  const { world, id } = begin();
  world.answer(id, { annotations: [] });
  expect(world.log.at(-1)?.payload).not.toHaveProperty('annotations');
});

test('[REV1] annotations need the digest of what they quote', () => {
  const { world, id } = begin();
  const decision = world.answer(id, { annotations });
  expect(codeOf(decision)).toBe('invalid');
  expect(detailsOf(decision)).toEqual({ fieldErrors: { digest: 'This answer needs the digest of what was shown.' } });
  expect(codeOf(world.answer(id, { annotations, digest: 'of an older version' }))).toBe('stale');
  expect(world.promptOf(id).state).toBe('open');
});

test('[REV1] a quote that the subject does not have is invalid, and settles nothing', () => {
  const { world, id } = begin();
  const decision = world.answer(id, { digest, annotations: [{ ...remark, quote: '2. Destroy' }] });
  expect(codeOf(decision)).toBe('invalid');
  expect(detailsOf(decision)).toEqual({
    fieldErrors: { annotations: 'Line 2: the quote is not what these lines say.' },
  });
  expect(world.promptOf(id).state).toBe('open');
});

test('[REV1, FRM6] an answer repeated with other annotations is a conflict', () => {
  const { world, id } = begin();
  const answer = { answerId: 'a', digest, annotations };
  world.answer(id, answer);
  expect(codeOf(world.answer(id, answer))).toBe('repeated');
  expect(codeOf(world.answer(id, { ...answer, annotations: [{ ...remark, comment: 'Never.' }] }))).toBe(
    'idempotency_conflict',
  );
});

test('[REV1, TEAM3] a vote keeps its annotations', () => {
  const { world, id } = begin({ decide: { approve: 2 } });
  expect(codeOf(world.answer(id, { digest, annotations }))).toBe('accepted');
  expect(world.log.at(-1)).toMatchObject({ type: 'interaction_vote', payload: { annotations } });
});

test('[REV1, SEC7] the audit names the annotated lines, without what was said about them', () => {
  const { world, id } = begin();
  const before = world.head;
  world.answer(id, { digest, annotations });
  const [entry] = auditOf(before, world.log.slice(-1), undefined);
  expect(entry).toMatchObject({ event: 'interaction_response', annotations: [{ lines: [2, 2] }] });
  expect(JSON.stringify(entry)).not.toContain('Friday');
});

test('[REV1] an export shows the lines with what was said about them', () => {
  const { world, id } = begin();
  world.answer(id, { digest, annotations: [{ ...remark, replacement: '2. Wait' }] });
  const session = { id: 's', title: 'S', createdAt: '2026-03-01T09:00:00.000Z' };
  const text = [...renderMarkdown(makeTranscript(session, world.log, '2026-03-01T10:00:00.000Z'))].join('');
  expect(text).toContain('Line 2:\n\n```text\n2. Deploy\n```');
  expect(text).toContain('Comment:\n\n> Not on a Friday.');
  expect(text).toContain('Replacement:\n\n```text\n2. Wait\n```');
});

test('[REV2, INT9] a late answer says them in its message', () => {
  const { world, id } = begin();
  world.answer(id, { action: 'deny', digest, reason: 'Later.', annotations });
  const request = world.requestOf(id);
  const response = world.log.at(-1)?.payload as Parameters<typeof describeAnswer>[1];
  expect(request && describeAnswer(request, response)).toContain(
    'Denied: Later.\n\nLine 2:\n> 2. Deploy\n\nNot on a Friday.',
  );
});

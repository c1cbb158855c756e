import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { openDoors, promptIn } from '../support/asking-programs.ts';

const options = [
  { optionId: 'a', name: 'Yes', kind: 'allow_once' },
  { optionId: 'n', name: 'No', kind: 'reject_once' },
];
const choices = [
  { id: 'accept', means: 'once' },
  { id: 'decline', means: 'decline' },
];

test.each([
  ['ACP2', 'acp', 'acp:s', 'Answered in the editor'],
  ['ACP5', 'codex', 'codex:th', 'Answered in the terminal'],
] as const)(
  '[ASK9, %s] where an answer came too late for the program, the session says so, once',
  async (_, program, channel, note) => {
    const { ann, post, askAcp, askCodex } = await openDoors();
    const id = randomUUID();
    const asking = program === 'acp' ? askAcp({}, options, id) : askCodex('ls', choices, id);
    const { session, prompt } = await promptIn(ann, channel);
    await ann.answer(session, prompt, { action: 'deny' });
    expect(await asking).toMatchObject({ body: { result: expect.anything() } }); // which it reads after its own side was first
    const withdraw = { kind: 'withdraw', id, note };
    expect(await post(`/hooks/${program}`, withdraw)).toEqual({ status: 200, body: {} });
    await post(`/hooks/${program}`, withdraw);
    const isTold = ({ type, payload }: { type: string; payload: object }) =>
      type === 'tool_call' && 'toolName' in payload && payload.toolName === 'tell_human';
    const told = () => ann.events(session).filter(isTold);
    await expect
      .poll(told)
      .toMatchObject([{ payload: { args: { text: `${note}: the answer given here came too late.` } } }]);
  },
);

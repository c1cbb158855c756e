import type { Principal, Tool } from '@parleyhq/core';
import { approve, cancel, deny, playTool, submit } from '@parleyhq/core/testing';
import { describe, expect, test } from 'vitest';
import fault from './fault.ts';
import gate from './gate.ts';
import photos from './photos.ts';

const [reportFault] = fault.tools as readonly [Tool];
const [convertPhotos] = photos.tools as readonly [Tool];
const [openGate] = gate.tools as readonly [Tool];

describe('asking back', () => {
  test('[PLG5, INT6] the question comes back with choices, and a short answer is followed by another question', async () => {
    const human = [
      submit({ machine: 'Drill' }),
      submit({ machine: 'press' }),
      'crash' as const,
      submit({ machine: 'Press 2' }),
      submit({ words: 'It smokes' }),
      submit({ more: 'Black smoke, at the motor' }),
    ];
    const play = playTool(reportFault, { human });
    expect(await play.end()).toEqual({
      result: { machine: 'Press 2', fault: 'It smokes: Black smoke, at the motor' },
    });
    const [, wrong, which] = play.prompts;
    expect(wrong?.request.fieldErrors).toEqual({ machine: 'There is no "Drill".' });
    expect(wrong?.initialValues).toEqual({ machine: 'Drill' });
    expect(which?.fields).toMatchObject([{ type: 'radio', options: [{ value: 'Press 1' }, { value: 'Press 2' }] }]);
    expect(play.prompts.at(-1)?.prompt).toBe('You wrote "It smokes". What did you see?');
  });

  test('[PLG5] a long answer needs no other, and a cancel ends the call', async () => {
    const words = 'The blade is blunt and shakes';
    const play = playTool(reportFault, { human: [submit({ machine: 'saw' }), submit({ words })] });
    expect(await play.end()).toEqual({ result: { machine: 'Saw', fault: words } });
    expect(await playTool(reportFault, { human: [cancel()] }).end()).toMatchObject({ error: { code: 'cancelled' } });
    expect(await playTool(reportFault, { human: ['timeout'] }).end()).toMatchObject({ error: { code: 'timeout' } });
  });
});

describe('progress while working', () => {
  test('[PLG5, DUR3] each album is reported and converted once, though the process dies at the question', async () => {
    const play = playTool(convertPhotos, { args: { albums: ['March', 'April'] }, human: ['crash', approve()] });
    expect(await play.end()).toEqual({ result: { converted: 2, deleted: true } });
    expect(play.effects).toEqual({ 'convert 0': 1, 'convert 1': 1, delete: 1 });
    expect(play.progress).toEqual(['1 of 2: March\n', '2 of 2: April\n', 'The originals are deleted.\n']);
  });

  test('[PLG5] a person who stops the turn stops the work', async () => {
    const albums = Array.from({ length: 400 }, (_, n) => `Album ${n}`);
    const play = playTool(convertPhotos, { args: { albums } });
    play.stop();
    expect(await play.end()).toMatchObject({ error: { code: 'cancelled' } });
    expect(play.effects['convert 399']).toBeUndefined();
  });
});

describe('whoever is first', () => {
  const operator: Principal = { id: 'p-1', name: 'Olga', role: 'operator' };
  const ann: Principal = { id: 'p-2', name: 'Ann', role: 'responder' };
  const ben: Principal = { id: 'p-3', name: 'Ben', role: 'responder' };

  test('[PLG5, INT11] an operator decides, and the question to the others is withdrawn', async () => {
    const play = playTool(openGate, { args: { gate: 'North' } });
    const [operators, shift] = [await play.prompt(), await play.prompt()];
    shift.answer(approve({ by: ann }));
    operators.answer(approve({ by: operator }));
    expect(await play.end()).toEqual({ result: { opened: 'North', allowedBy: 'operators' } });
    expect([operators.state, shift.state]).toEqual(['answered', 'closed']);
  });

  test('[PLG5, INT11] two of the others decide, also over a crash between their votes', async () => {
    const play = playTool(openGate, { args: { gate: 'North' } });
    const [operators, shift] = [await play.prompt(), await play.prompt()];
    shift.answer(approve({ by: ann }));
    play.crash();
    shift.answer(approve({ by: ben }));
    expect(await play.end()).toEqual({ result: { opened: 'North', allowedBy: 'the night shift' } });
    expect(operators.state).toBe('closed');
  });

  test('[PLG5] a denial is a decision, too', async () => {
    const play = playTool(openGate, { args: { gate: 'North' } });
    const [operators] = [await play.prompt(), await play.prompt()];
    operators.answer(deny('Not at night.', operator));
    expect(await play.end()).toEqual({ error: { code: 'denied', message: 'Not at night.' } });
  });
});

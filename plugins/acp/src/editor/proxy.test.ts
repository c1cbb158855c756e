import { expect, test } from 'vitest';
import { Between, cancelled, cancelOf, chosen, line, permission, promptOf } from '../../test/proxy-stage.ts';

test('[ACP2] everything but questions passes as it came, also what is no JSON', () => {
  const { proxy, agent, editor } = new Between();
  const odd = [
    '{ "jsonrpc":"2.0", "id" : 1.0, "method":"session/prompt","params":{"sessionId":"s","x":1e400}}\r\n',
    'noise\n',
    '\n',
    '[]\n',
  ];
  for (const text of odd) {
    proxy.fromEditor(text);
    proxy.fromAgent(text);
  }
  expect(agent).toEqual(odd);
  expect(editor).toEqual(odd);
});

test('[ACP2] the editor answers first: people no longer can, and read where it was answered', async () => {
  const between = new Between();
  between.proxy.fromAgent(permission(0));
  expect(between.editor).toEqual([permission(0)]);
  const answer = line({ id: 0, result: chosen('yes') });
  between.proxy.fromEditor(answer);
  await between.decide(0, chosen('no'));
  expect(between.agent).toEqual([answer]);
  expect(between.asked[0]?.note).toBe('Answered in the editor');
  expect(between.editor).toEqual([permission(0)]);
});

test.each([
  ['another choice', { result: chosen('yes') }],
  ['an error', { error: { code: -32_800, message: 'cancelled' } }],
])('[ACP2] people answer first: the editor’s question is cancelled, and %s of it does not count', async (_, late) => {
  const between = new Between();
  between.proxy.fromAgent(permission(0));
  await between.decide(0, chosen('no'));
  between.proxy.fromEditor(line({ id: 0, ...late }));
  expect(between.agent).toEqual([line({ id: 0, result: chosen('no') })]);
  expect(between.editor).toEqual([permission(0), cancelOf(0)]);
});

test('[ACP2] an editor that cannot show a question does not answer it while people may', async () => {
  const between = new Between();
  const fault = line({ id: 0, error: { code: -32_601, message: 'unknown' } });
  between.proxy.fromAgent(permission(0));
  between.proxy.fromEditor(fault);
  expect(between.agent).toEqual([]);
  await between.decide(0, chosen('yes'));
  expect(between.agent).toEqual([line({ id: 0, result: chosen('yes') })]);
  between.proxy.fromAgent(permission(1));
  between.proxy.fromEditor(line({ id: 1, error: {} }));
  await between.decide(1, undefined);
  expect(between.agent.at(-1)).toBe(line({ id: 1, error: {} }));
});

test('[ACP2] if people will not decide, the editor does', async () => {
  const between = new Between();
  between.proxy.fromAgent(permission(0));
  await between.decide(0, undefined);
  expect(between.agent).toEqual([]);
  between.proxy.fromEditor(line({ id: 0, error: { code: 1 } }));
  expect(between.agent).toEqual([line({ id: 0, error: { code: 1 } })]);
});

test('[ACP2] a stop in the editor answers the open questions of its session at once, and no others', async () => {
  const between = new Between();
  between.proxy.fromAgent(permission(0));
  between.proxy.fromAgent(permission(1, 'other'));
  const stop = line({ method: 'session/cancel', params: { sessionId: 's' } });
  between.proxy.fromEditor(stop);
  expect(between.agent).toEqual([stop, line({ id: 0, result: cancelled })]);
  expect(between.asked.map(({ note }) => note)).toEqual(['The turn was stopped in the editor.', undefined]);
  between.proxy.fromEditor(line({ id: 0, result: cancelled }));
  expect(between.agent).toHaveLength(2);
});

test('[ACP2] a question that outlives its turn is void on both sides', () => {
  const between = new Between();
  between.proxy.fromEditor(line({ id: 7, method: 'session/prompt', params: { sessionId: 's', prompt: [] } }));
  between.proxy.fromAgent(permission(0));
  const end = line({ id: 7, result: { stopReason: 'end_turn' } });
  between.proxy.fromAgent(end);
  expect(between.agent.at(-1)).toBe(line({ id: 0, result: cancelled }));
  expect(between.editor.slice(-2)).toEqual([cancelOf(0), end]);
});

test('[ACP2] a question that the agent takes back is answered at once', () => {
  const between = new Between();
  between.proxy.fromAgent(permission(0));
  between.proxy.fromAgent(cancelOf(0));
  between.proxy.fromEditor(line({ id: 0, error: { code: -32_800, message: 'x' } }));
  expect(between.agent).toEqual([line({ id: 0, error: { code: -32_800, message: 'Request cancelled' } })]);
  expect(between.editor).toEqual([permission(0), cancelOf(0)]);
  expect(between.asked[0]?.note).toBe('The agent no longer waits.');
});

test('[ACP2] people answer forms that the editor cannot show, if there is a server', async () => {
  const form = line({
    id: 3,
    method: 'elicitation/create',
    params: { mode: 'form', message: 'Which?', sessionId: 's' },
  });
  const begin = line({ id: 1, method: 'initialize', params: { protocolVersion: 1, clientCapabilities: { fs: {} } } });
  const between = new Between();
  between.proxy.fromEditor(begin);
  expect(JSON.parse(between.agent[0] ?? '')).toMatchObject({
    params: { protocolVersion: 1, clientCapabilities: { fs: {}, elicitation: { form: {}, url: {} } } },
  });
  between.proxy.fromAgent(form);
  expect(between.editor).toEqual([]);
  await between.decide(0, undefined);
  expect(between.agent.at(-1)).toBe(line({ id: 3, result: { action: 'cancel' } }));
  const alone = new Between(false);
  alone.proxy.fromEditor(begin);
  expect(alone.agent).toEqual([begin]);
});

test('[ACP2] what an agent says of a call at several times is asked as a whole', () => {
  const between = new Between();
  const update = { sessionUpdate: 'tool_call', toolCallId: 't0', title: 'Edit', rawInput: { path: 'a' } };
  between.proxy.fromAgent(line({ method: 'session/update', params: { sessionId: 's', update } }));
  between.proxy.fromAgent(permission(0));
  expect(between.asked[0]?.call).toMatchObject({ title: 'Edit', rawInput: { path: 'a' } });
});

test.each([
  ['an editor without any', { fs: {} }, true, 'form', false],
  ['an editor that says null', { elicitation: { form: null } }, true, 'form', false],
  ['an editor that has it', { elicitation: { form: {} } }, true, 'form', true],
  ['no kind', { elicitation: {} }, true, undefined, true],
  ['an unknown kind', { elicitation: {} }, true, 'voice', true],
  ['no server', {}, false, 'form', true],
])(
  '[ACP2] only an elicitation that the proxy alone has announced is kept from the editor: %s',
  (_, clientCapabilities, hasServer, mode, isShown) => {
    const { proxy, editor } = new Between(hasServer);
    proxy.fromEditor(line({ id: 1, method: 'initialize', params: { protocolVersion: 1, clientCapabilities } }));
    proxy.fromAgent(line({ id: 3, method: 'elicitation/create', params: { mode, message: 'Which?', sessionId: 's' } }));
    expect(editor.length > 0).toBe(isShown);
  },
);

test('[ACP2] a result next to an error of null is an answer', () => {
  const { proxy, agent } = new Between();
  proxy.fromAgent(permission(0));
  const answer = line({ id: 0, result: chosen('yes'), error: null });
  proxy.fromEditor(answer);
  expect(agent).toEqual([answer]);
});

test('[ACP2] a question whose id the proxy cannot write is left to the editor', () => {
  const { proxy, editor, asked } = new Between();
  const question = permission(0).replace('"id":0', '"id":9007199254740993');
  proxy.fromAgent(question);
  expect(editor).toEqual([question]);
  expect(asked).toEqual([]);
});

test('[ACP2] a call is asked as the agent described it in this turn, and again after its end', () => {
  const between = new Between();
  const { proxy, asked } = between;
  const update = (members: object) =>
    proxy.fromAgent(
      line({ method: 'session/update', params: { sessionId: 's', update: { toolCallId: 't0', ...members } } }),
    );
  update({ sessionUpdate: 'tool_call', title: 'Edit', rawInput: { path: 'a' } });
  update({ sessionUpdate: 'tool_call_update', status: 'completed' });
  proxy.fromAgent(permission(0));
  expect(asked[0]?.call).toMatchObject({ title: 'Edit', rawInput: { path: 'a' } });
  proxy.fromEditor(line({ id: 7, method: 'session/prompt', params: { sessionId: 's', prompt: [] } }));
  proxy.fromAgent(line({ id: 7, result: { stopReason: 'end_turn' } }));
  proxy.fromAgent(permission(0));
  expect(asked[1]?.call).not.toHaveProperty('title');
});

test('[ACP2] what an agent replays of a session is no news, and each call is told once', () => {
  const { proxy, told } = new Between();
  const finish = () =>
    proxy.fromAgent(
      line({
        method: 'session/update',
        params: { sessionId: 's', update: { sessionUpdate: 'tool_call', toolCallId: 't', status: 'completed' } },
      }),
    );
  proxy.fromEditor(line({ id: 1, method: 'session/load', params: { sessionId: 's', cwd: '/w' } }));
  finish();
  expect(told).toEqual([]);
  proxy.fromAgent(line({ id: 1, result: null }));
  proxy.fromEditor(line({ id: 7, method: 'session/prompt', params: { sessionId: 's', prompt: [] } }));
  finish();
  finish();
  expect(told).toMatchObject([{ sessionId: 's', cwd: '/w' }]);
});

test('[ACP2] a session that was forked is in the folder that the editor named', () => {
  const { proxy, asked } = new Between();
  proxy.fromEditor(line({ id: 1, method: 'session/fork', params: { sessionId: 's', cwd: '/w' } }));
  proxy.fromAgent(line({ id: 1, result: { sessionId: 'fork' } }));
  proxy.fromAgent(permission(0, 'fork'));
  expect(asked[0]?.cwd).toBe('/w');
});

test('[ACP2] a second prompt that the agent refuses leaves the question of the running turn open', () => {
  const { proxy, agent, editor, asked } = new Between();
  proxy.fromEditor(promptOf(1));
  proxy.fromAgent(permission(0));
  proxy.fromEditor(promptOf(2));
  agent.length = 0;
  const refusal = line({ id: 2, error: { code: -32600, message: 'A prompt is running.' } });
  proxy.fromAgent(refusal);
  expect([agent, editor.at(-1), asked[0]?.note]).toEqual([[], refusal, undefined]);
});

test('[ACP2] of two prompts of a session, the end of one voids what was asked before the other, and nothing else', () => {
  const { proxy, agent, asked } = new Between();
  proxy.fromEditor(promptOf(1));
  proxy.fromAgent(permission(0));
  proxy.fromEditor(promptOf(2)); // ends the first one, as in Gemini CLI and Qwen Code
  proxy.fromAgent(permission(1));
  agent.length = 0;
  proxy.fromAgent(line({ id: 1, result: { stopReason: 'cancelled' } }));
  expect(agent).toEqual([line({ id: 0, result: cancelled })]);
  expect(asked.map(({ note }) => note)).toEqual(['The turn is over.', undefined]);
  proxy.fromAgent(line({ id: 2, result: { stopReason: 'end_turn' } }));
  expect(agent.at(-1)).toBe(line({ id: 1, result: cancelled }));
});

test('[ACP2] a late answer to a question does not answer the next one of the same id, which still has its own', async () => {
  const between = new Between();
  const { proxy, agent, editor } = between;
  proxy.fromAgent(permission(0));
  await between.decide(0, chosen('no'));
  proxy.fromAgent(permission(0)); // the agent counts its requests anew
  agent.length = 0;
  const { id, ...shown } = JSON.parse(editor.at(-1) ?? '');
  expect(shown).toEqual((({ id: _, ...rest }) => rest)(JSON.parse(permission(0))));
  const late = line({ id: 0, result: chosen('yes') }); // what somebody pressed in the first dialog
  proxy.fromEditor(late);
  proxy.fromEditor(late);
  expect(agent).toEqual([]);
  proxy.fromEditor(line({ id, result: chosen('no') }));
  expect(agent).toEqual([line({ id: 0, result: chosen('no') })]);
  expect(between.asked[1]?.note).toBe('Answered in the editor');
});

test('[ACP2] a question that is sent twice under one id is the second one, and leaves no card behind', () => {
  const { proxy, agent, editor, asked } = new Between();
  proxy.fromAgent(permission(0));
  proxy.fromAgent(permission(0));
  expect(editor[1]).toBe(cancelOf(0));
  proxy.fromEditor(line({ id: 0, result: chosen('no') }));
  proxy.fromEditor(line({ id: JSON.parse(editor[2] ?? '').id, result: chosen('yes') }));
  expect(agent).toEqual([line({ id: 0, result: chosen('yes') })]);
  expect(asked.map(({ note }) => note)).toEqual(['The agent asks anew.', 'Answered in the editor']);
});

test('[ACP2] a question with an id of an unknown kind passes, and so does its answer', () => {
  const { proxy, agent, editor, asked } = new Between();
  const odd = permission(0).replace('"id":0', '"id":1.5');
  proxy.fromAgent(odd);
  const back = line({ id: 1.5, result: cancelled });
  proxy.fromEditor(back);
  expect([editor, asked, agent]).toEqual([[odd], [], [back]]);
});

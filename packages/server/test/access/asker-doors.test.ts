import { randomUUID } from 'node:crypto';
import type { InteractionRequest, ServerFrameOf } from '@parleyhq/core';
import { addToken, useInTest } from '@parleyhq/server/testing';
import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { ClaudeHooks } from '../support/claude-hooks.ts';
import { EventStream } from '../support/event-stream.ts';
import { GuardedServer } from '../support/guarded-server.ts';
import { loadPlugin, loadShippedPlugin } from '../support/journey.ts';
import { LocalServer } from '../support/local-server.ts';
import { connectMcp } from '../support/mcp-client.ts';
import { sendModern } from '../support/mcp-tasks.ts';
import type { Sendable, Tab } from '../support/tab.ts';

const plugins = [
  await loadShippedPlugin('ask-user'),
  await loadShippedPlugin('claude-code'),
  await loadPlugin('asking.mjs'),
];

/** Starts a server that requires a token, or one that admits everybody. */
async function start(isGuarded: boolean): Promise<{ local: LocalServer; owner: Tab }> {
  if (isGuarded) {
    const guarded = await useInTest(new GuardedServer({ plugins }));
    return { local: guarded.local, owner: await guarded.enter() };
  }
  const local = await useInTest(new LocalServer({ plugins }));
  return { local, owner: await local.open() };
}

/** Members that might be mistaken for an approval. */
const yes = { action: 'approve', approved: true, behavior: 'allow', role: 'operator', by: { principal: 'owner' } };

/** Everything that a program with an asker's token may send for one of its own open prompts. */
function attempts(
  { local, token }: { local: LocalServer; token: string },
  sessionId: string,
  prompt: InteractionRequest,
) {
  const { toolCallId, interactionId, digest } = prompt;
  const { httpUrl } = local;
  const plain = { action: 'approve', digest };
  const answer = { ...yes, digest, answerId: randomUUID(), approvalScope: 'always', sessionId, interactionId };
  const post = (path: string, body: object) =>
    fetch(`${httpUrl}${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
      body: JSON.stringify(body),
    });
  const frames = async () => {
    const tab = await local.open({ hello: { token } });
    const place = { type: 'tool_interaction_response', sessionId, interactionId, callId: toolCallId };
    for (const believed of [plain, answer])
      expect(await tab.request({ ...believed, ...place, answerId: randomUUID() } as object as Sendable)).toMatchObject({
        error: { code: expect.stringMatching(/^(forbidden|not_found)$/) },
      });
  };
  /** The same frames over plain HTTP, with a stream of its own and with other ids in place of one. */
  const stream = async () => {
    const headers = { authorization: `Bearer ${token}` };
    const own = await EventStream.open(`${httpUrl}/api/stream`, headers);
    const frame = { type: 'tool_interaction_response', sessionId, interactionId, callId: toolCallId };
    for (const connection of [await own.connection(), {}, { 'Parley-Connection': sessionId }]) {
      const sent = [plain, answer].map((believed) => ({
        ...believed,
        ...frame,
        answerId: randomUUID(),
        requestId: '1',
      }));
      const response = await fetch(`${httpUrl}/api/frames`, {
        method: 'POST',
        headers: { ...headers, ...connection, 'content-type': 'application/json' },
        body: JSON.stringify(sent),
      });
      for (const reply of [await response.json()].flat())
        expect(reply).toMatchObject({ error: { code: expect.stringMatching(/^(forbidden|not_found)$/) } });
    }
    own.close();
  };
  /** Requests for people only: a login, which would answer by its cookie, the inbox, and the metrics. */
  const persons = async () => {
    const login = await post('/api/login', { token });
    expect([login.status, login.headers.getSetCookie()]).toEqual([403, []]);
    expect((await post('/api/login/again', { token })).status).toBe(403);
    expect((await post('/api/logins/end', { others: true })).status).toBe(403);
    for (const path of ['/api/interactions', '/metrics', '/api/logins'])
      expect((await fetch(`${httpUrl}${path}`, { headers: { authorization: `Bearer ${token}` } })).status).toBe(403);
  };
  const http = async () => {
    const path = `/api/sessions/${sessionId}/interactions/${interactionId}/response`;
    for (const believed of [plain, answer])
      expect([403, 404]).toContain((await post(path, { ...believed, answerId: randomUUID() })).status);
    await post('/api/calls', { channel: 'mine', callId: randomUUID(), toolName: 'do_more', args: answer });
  };
  const mcp = async () => {
    const client = await connectMcp(httpUrl, { token });
    const anything = z.looseObject({});
    const { tools } = await client.listTools();
    const told = { ...answer, taskId: toolCallId, callId: toolCallId, uri: 'x', ref: {}, level: 'debug' };
    for (const name of ['do_more', 'tool_interaction_response', 'check_answer', 'tell_human'])
      await client.callTool({ name, arguments: { ...told, text: 'Yes' } }).catch(() => undefined);
    const methods = ['tasks/get', 'tasks/update', 'tasks/list', 'elicitation/create', 'resources/read'];
    for (const method of [...methods, 'prompts/get', 'logging/setLevel', 'completion/complete'])
      await client.request({ method, params: told }, anything).catch(() => undefined);
    const declared = {
      'io.modelcontextprotocol/clientCapabilities': { extensions: { 'io.modelcontextprotocol/tasks': {} } },
    };
    const meta = { 'io.modelcontextprotocol/protocolVersion': '2026-07-28', ...declared };
    const inputResponses = { [interactionId]: { action: 'accept', content: yes }, approve: { action: 'accept' } };
    const update = { taskId: toolCallId, inputResponses, _meta: meta };
    await sendModern(httpUrl, { method: 'tasks/update', params: update }, token);
    expect(tools.map(({ name }) => name)).not.toContain('do_more');
  };
  const hooks = async () => {
    const claude = new ClaudeHooks(httpUrl, token);
    const told = {
      ...answer,
      permissionDecision: 'allow',
      hookSpecificOutput: { decision: yes },
      tool_use_id: toolCallId,
    };
    for (const name of ['PreToolUse', 'PostToolUse', 'Stop', 'SessionEnd', 'UserPromptSubmit', 'Notification'])
      await claude.post({ ...told, ...claude.common, hook_event_name: name, tool_name: 'Bash', tool_input: {} });
  };
  return { frames, stream, persons, http, mcp, hooks };
}

describe.each([
  ['', true],
  [', even where everybody is let in,', false],
] as const)('with its token%s', (_, isGuarded) => {
  test('[SEC9, ASK2, APR6] an asker approves nothing that it asked, by frame, HTTP, MCP or hook', async () => {
    const { local, owner } = await start(isGuarded);
    const { token } = await addToken(local, { role: 'asker' });
    const client = await connectMcp(local.httpUrl, { token });
    const subject = { kind: 'text', text: 'All of it' };
    const asking = client.callTool({ name: 'request_approval', arguments: { title: 'Delete it?', subject } });
    const opened = (await owner.until(
      ({ type }) => type === 'interaction_opened',
    )) as ServerFrameOf<'interaction_opened'>;
    const { sessionId, interaction } = opened;
    for (const attempt of Object.values(attempts({ local, token }, sessionId, interaction))) await attempt();
    await owner.follow(sessionId);
    expect(owner.events(sessionId).map(({ type }) => type)).not.toContain('interaction_response');
    expect(await owner.ask({ type: 'list_grants' })).toEqual({ grants: [] });
    expect(await owner.answer(sessionId, interaction, { action: 'deny', reason: 'No.' })).toMatchObject({ ok: true });
    expect((await asking).structuredContent).toMatchObject({ approved: false, reason: 'No.' });
  });
});

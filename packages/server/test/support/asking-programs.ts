import { randomUUID } from 'node:crypto';
import type { ServerFrame, ServerFrameOf, SessionId } from '@parleyhq/core';
import { acpEditor } from '../../../../plugins/acp/src/editor/index.ts';
import { startGuardedServer } from './guarded-server.ts';
import { loadShippedPlugin } from './journey.ts';
import type { LocalOptions } from './local-server.ts';
import type { Tab } from './tab.ts';

const names = ['ask-user', 'claude-code', 'codex'];

/** A server that programs ask at its doors, with two operators and a responder, and the token of an asker. */
export async function openDoors(policies: LocalOptions['policies'] = []) {
  const plugins = [...(await Promise.all(names.map(loadShippedPlugin))), acpEditor];
  const server = await startGuardedServer({ plugins, policies });
  const { token } = await server.makeToken({ role: 'asker', name: 'programs' });
  const ann = await server.enter({ role: 'operator', name: 'Ann' });
  const bob = await server.enter({ role: 'operator', name: 'Bob' });
  const rita = await server.enter({ role: 'responder', name: 'Rita' });
  const post = async (path: string, body: object) => {
    const response = await fetch(`${server.origin}${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
      body: JSON.stringify(body),
    });
    return { status: response.status, body: await response.json() };
  };
  /** Codex asks for an approval, as `--live` passes it on. */
  const askCodex = (text: string, choices: readonly object[], id = randomUUID()) => {
    const card = { title: `Run ${text}`, subject: { kind: 'command', text }, details: [], choices };
    return post('/hooks/codex', { kind: 'approval', id, thread: 'th', card });
  };
  /** An agent in an editor asks for a permission, as `parley acp` passes it on. */
  const askAcp = (call: object, options: readonly object[], id = randomUUID()) => {
    const asked = { params: { options }, call: { toolCallId: 't', title: 'x', kind: 'execute', ...call } };
    return post('/hooks/acp', { kind: 'permission', id, agent: 'gemini', session: 's', ...asked });
  };
  return { server, ann, bob, rita, token, post, askCodex, askAcp };
}

interface Row {
  readonly id: SessionId;
  readonly channel?: { readonly name: string } | undefined;
}

/** The session of a channel, which the tab then follows, and the first prompt in it. */
export async function promptIn(tab: Tab, channel: string) {
  const isIts = ({ channel: its }: Row) => its?.name === channel;
  const { sessions } = await tab.ask<{ sessions: Row[] }>({ type: 'list_sessions' });
  const isFrame = (frame: ServerFrame) => frame.type === 'session_created' && isIts(frame.session);
  const created = async () => ((await tab.until(isFrame)) as ServerFrameOf<'session_created'>).session;
  const { id: session } = sessions.find(isIts) ?? (await created());
  await tab.follow(session, { tail: 100 });
  const { payload: prompt } = await tab.event(session, 'interaction_request');
  return { session, prompt };
}

/** Whether a request is still open after a moment. */
export async function staysOpen(asking: Promise<unknown>): Promise<boolean> {
  const later = new Promise((resolve) => setTimeout(resolve, 300, 'open'));
  return (await Promise.race([asking, later])) === 'open';
}

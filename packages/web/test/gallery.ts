import { connectDirect, ParleyClient } from '@parley/client';
import { by, FakeServer, makeRequest } from '@parley/client/testing';
import { type InteractionRequest, type NewEvent, RefusalError, type WireErrorCode } from '@parley/core';
import { readClientId } from '../src/page/tab.ts';
import '../src/shell/session-view.ts';
import type { SessionView } from '../src/shell/session-view.ts';

const server = new FakeServer();
server.addSession('s', 'Gallery');
const client = new ParleyClient({
  transport: connectDirect(server.openPipe),
  clientId: readClientId(),
  label: 'Gallery',
});
client.start();
let turns = 0;
let lastRequest = makeRequest('none.1');

/** A session in the page itself: the test is its tools and its agent. */
const gallery = {
  server,
  client,
  by,
  get lastRequest() {
    return lastRequest;
  },
  append: (...events: NewEvent[]) => server.append('s', ...events),
  startTurn(text = 'Go') {
    turns += 1;
    const turnId = `t${turns}`;
    gallery.append(
      { type: 'user_message', payload: { messageId: `m${turns}`, text, origin: 'user' }, turnId },
      { type: 'turn_start', payload: { trigger: 'user', agent: 'fake', owner: 'fake' }, turnId },
    );
  },
  call(toolCallId: string, toolName = 'deploy', args: NewEvent<'tool_call'>['payload']['args'] = {}) {
    const payload = { toolCallId, toolName, args, authorised: { by: 'tool' } } as const;
    gallery.append({ type: 'tool_call', payload, turnId: `t${turns}` });
  },
  request(id: string, part: Partial<InteractionRequest>) {
    lastRequest = makeRequest(id, part);
    gallery.append({ type: 'interaction_request', payload: lastRequest, turnId: `t${turns}` });
  },
  /** A turn, a call and its prompt. */
  ask(id: string, part: Partial<InteractionRequest> = {}, args: NewEvent<'tool_call'>['payload']['args'] = {}) {
    const [toolCallId = ''] = id.split('.');
    if (!server.head('s').turn) gallery.startTurn();
    if (!server.head('s').calls.some((call) => call.toolCallId === toolCallId)) {
      gallery.call(toolCallId, part.toolName ?? 'deploy', args);
    }
    gallery.request(id, part);
  },
  makeRefusal: ({ code, message }: { code: WireErrorCode; message: string }) => new RefusalError(code, { message }),
  answers: () => server.received.filter((frame) => frame.type === 'tool_interaction_response'),
};

export type Gallery = typeof gallery;

window.gallery = gallery;

const view = document.createElement('parley-session') as SessionView;
Object.assign(view, { client, sessionId: 's' });
client.subscribe(() => view.requestUpdate());
document.querySelector('main')?.append(view);

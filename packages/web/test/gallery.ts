import { connectDirect, ParleyClient } from '@parleyhq/client';
import { by, FakeServer, makeRequest, type RequestPart } from '@parleyhq/client/testing';
import { type NewEvent, RefusalError, type WireErrorCode } from '@parleyhq/core';
import { readClientId } from '../src/browser/tab.ts';
import '../src/app/after-start.ts';
import '../src/session/session-view.ts';
import type { SessionView } from '../src/session/session-view.ts';

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

function countRows(): number {
  const transcript = view.shadowRoot?.querySelector('parley-transcript');
  return transcript?.shadowRoot?.querySelectorAll('.row').length ?? 0;
}

/** A session served within the page; the test plays its tools and agent. */
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
  request(id: string, part: RequestPart) {
    lastRequest = makeRequest(id, part);
    gallery.append({ type: 'interaction_request', payload: lastRequest, turnId: `t${turns}` });
  },
  /** Appends a prompt, with a turn and a call for it as needed. */
  ask(id: string, part: RequestPart = {}, args: NewEvent<'tool_call'>['payload']['args'] = {}) {
    const [toolCallId = ''] = id.split('.');
    if (!server.head('s').turn) gallery.startTurn();
    if (!server.head('s').calls.some((call) => call.toolCallId === toolCallId)) {
      gallery.call(toolCallId, part.toolName ?? 'deploy', args);
    }
    gallery.request(id, part);
  },
  makeRefusal: ({ code, message }: { code: WireErrorCode; message: string }) => new RefusalError(code, { message }),
  /** Shows another session with this log. */
  openSession(sessionId: string, ...events: NewEvent[]) {
    server.addSession(sessionId);
    server.append(sessionId, ...events);
    Object.assign(view, { sessionId });
  },
  /** Opens another session with a long log. */
  openLong(count: number) {
    server.addSession('long', 'Long');
    const text = (n: number) => `Answer ${n} with some **words** and \`code\`, as an agent writes them.`;
    const events = Array.from({ length: count }, (_, n): NewEvent => {
      return { type: 'assistant_done', payload: { block: 0, text: text(n) }, turnId: 't', responseId: `r${n}` };
    });
    server.append('long', ...events);
    return measure(
      () => Object.assign(view, { sessionId: 'long' }),
      () => countRows() >= 100,
    );
  },
  answers: () => server.received.filter((frame) => frame.type === 'tool_interaction_response'),
};

/** Measures how long something takes until it is rendered, and the longest task meanwhile, in ms. */
async function measure(run: () => void, isDone: () => boolean): Promise<{ ms: number; longestTask: number }> {
  let longestTask = 0;
  const observer = new PerformanceObserver((list) => {
    for (const { duration } of list.getEntries()) longestTask = Math.max(longestTask, duration);
  });
  observer.observe({ type: 'longtask' });
  const start = performance.now();
  run();
  while (!isDone()) await new Promise((resolve) => requestAnimationFrame(resolve));
  const ms = performance.now() - start;
  await new Promise((resolve) => setTimeout(resolve, 100));
  observer.disconnect();
  return { ms, longestTask };
}

export type Gallery = typeof gallery;

window.gallery = gallery;

const view = document.createElement('parley-session-view') as SessionView;
Object.assign(view, { client, sessionId: 's' });
document.querySelector('main')?.append(view);

import { setTimeout as sleep } from 'node:timers/promises';
import { type Limit, limits, quotas } from '@parleyhq/core';
import { expect, test } from 'vitest';
import { Journey, pluginPath, question } from '../support/journey.ts';
import { pluginOf } from '../support/plugin-file.ts';
import { leave, openSockets, rawRequest } from '../support/raw-http.ts';
import type { ServerProcess } from '../support/server-process.ts';
import { Tab } from '../support/tab.ts';
import { startServer } from '../support/use-server.ts';

const bulky = `export default { name: 'bulky', tools: [{
  name: 'bulk', description: 'Returns a lot.', parameters: { type: 'object' },
  handler: ({ size }) => 'x'.repeat(size),
}, {
  name: 'ask_bulk', description: 'Asks at length.', parameters: { type: 'object' },
  handler: ({ count, ...bulk }, ctx) => Promise.all(Array.from({ length: count }, () => ctx.requestInteraction({
    type: 'approval', onUnavailable: 'wait',
    ...(bulk.error && { error: 'x'.repeat(bulk.error) }),
    ...(bulk.subject && { subject: { kind: 'text', text: 'x'.repeat(bulk.subject) } }),
  }))),
}] };`;

/** As many as any machine can open before the first ones time out. */
const unadmittedSockets = 200;

const form = (...fields: object[]) => ({ type: 'input', inputSchema: { type: 'form', fields } });
const again = { reprompt: {} };

const fileForm = form({ id: 'cv', type: 'file', maxBytes: limits.fileBytes });

function comment({ tab, session: sessionId }: Journey, interactionId: string, text: string): Promise<unknown> {
  return tab.request({ type: 'comment_interaction', sessionId, interactionId, commentId: text.slice(0, 20), text });
}

/** Announces uploads of these sizes, one after the other. @returns the reply to the last one */
async function announce(journey: Journey, url: string, sizes: readonly number[]): Promise<unknown> {
  const { interactionId } = await journey.ask('scripted', { request: fileForm });
  const address = new URL(`/api/sessions/${journey.session}/interactions/${interactionId}/files/cv`, url);
  address.protocol = 'http:';
  let told: unknown;
  for (const size of sizes) {
    const headers = { 'Upload-Length': String(size) };
    told = await (await fetch(address, { method: 'POST', headers })).json();
  }
  return told;
}

/** How to exceed each limit by one from outside, the code that is returned, and a limit that is reached on the way. */
const cases: Record<
  Limit,
  { code: string; also?: Limit; exceed: (journey: Journey, url: string) => Promise<unknown> }
> = {
  frameBytes: {
    code: '1009',
    async exceed({ tab }) {
      tab.sendText('x'.repeat(limits.frameBytes + 1));
      return tab.closed();
    },
  },
  helloBytes: {
    code: '4429',
    async exceed(_, url) {
      const stranger = await Tab.open(url, { hello: null });
      stranger.sendText('x'.repeat(limits.helloBytes + 1));
      return stranger.closed();
    },
  },
  unadmittedSockets: {
    code: '503',
    async exceed(_, url) {
      const crowd = await openSockets(Number(new URL(url).port), unadmittedSockets / 2);
      const { text } = await rawRequest(Number(new URL(url).port), ['GET /healthz HTTP/1.1']);
      await Promise.all(crowd.map(leave));
      return text;
    },
  },
  jsonDepth: {
    code: 'bad_frame',
    async exceed({ tab }) {
      const depth = limits.jsonDepth + 1;
      tab.sendText('['.repeat(depth) + ']'.repeat(depth));
      return tab.waitFor('error');
    },
  },
  framesPerSecond: {
    code: 'rate_limited',
    async exceed({ tab }) {
      const frames = Array.from({ length: 4 * limits.framesPerSecond + 10 }, () => ({ type: 'ping' }));
      tab.sendTogether(frames);
      return tab.waitFor('error');
    },
  },
  fields: {
    code: 'tool_error',
    exceed: (journey) => {
      const fields = Array.from({ length: limits.fields + 1 }, (_, n) => ({ id: `f${n}`, type: 'text' }));
      return journey.run('scripted', { request: form(...fields) });
    },
  },
  valueBytes: {
    code: 'invalid',
    async exceed(journey) {
      const prompt = await journey.ask('scripted', { request: question() });
      return journey.submit(prompt, { answer: 'x'.repeat(limits.valueBytes + 1) });
    },
  },
  patternMs: {
    code: 'invalid',
    async exceed(journey) {
      const prompt = await journey.ask('scripted', { request: form({ id: 'a', type: 'text', pattern: '(a+)+b' }) });
      return journey.submit(prompt, { a: 'a'.repeat(40) });
    },
  },
  patternMsPerMinute: {
    code: 'rate_limited',
    also: 'patternMs',
    async exceed(journey) {
      const prompt = await journey.ask('scripted', { request: form({ id: 'a', type: 'text', pattern: '(a+)+b' }) });
      const submit = () => journey.submit(prompt, { a: 'a'.repeat(40) });
      let reply = await submit();
      while (JSON.stringify(reply).includes('invalid')) reply = await submit();
      return reply;
    },
  },
  queuedMessages: {
    code: 'queue_full',
    async exceed(journey) {
      await journey.ask('scripted', { request: question() });
      const said = Array.from({ length: limits.queuedMessages }, (_, n) => journey.tab.say(journey.session, `n ${n}`));
      await Promise.all(said);
      const sessionId = journey.session;
      return journey.tab.request({ type: 'user_message', sessionId, messageId: 'one more', text: 'x' });
    },
  },
  queuedBytes: {
    code: 'queue_full',
    async exceed(journey) {
      await journey.ask('scripted', { request: question() });
      const text = 'x'.repeat(200_000);
      const most = Math.floor(limits.queuedBytes / text.length);
      for (let n = 0; n < most; n += 1) await journey.tab.say(journey.session, text);
      const sessionId = journey.session;
      return journey.tab.request({ type: 'user_message', sessionId, messageId: 'one more', text });
    },
  },
  promptBytes: {
    code: 'tool_error',
    exceed: (journey) => journey.run('ask_bulk', { count: 1, error: limits.promptBytes }),
  },
  openPromptBytes: {
    code: 'too_many_prompts',
    exceed: (journey) => journey.run('ask_bulk', { count: limits.openPromptBytes / 65_536 + 1, subject: 65_536 }),
  },
  messageCalls: {
    code: 'too_many_calls',
    async exceed({ tab, session }) {
      await tab.say(session, '/call no_such\n'.repeat(limits.messageCalls + 1));
      return tab.event(session, 'turn_end');
    },
  },
  openPrompts: {
    code: 'too_many_prompts',
    async exceed(journey) {
      const demands = Array.from({ length: limits.openPrompts + 1 }, () => ({ request: question() }));
      await journey.call('parallel', { demands });
      const open = await journey.prompts(limits.openPrompts);
      await Promise.all(open.map((prompt) => journey.submit(prompt, { answer: 'x' })));
      return journey.outcome();
    },
  },
  comments: {
    code: 'invalid',
    async exceed(journey) {
      const { interactionId } = await journey.ask('scripted', { request: question() });
      const say = (half: string) =>
        Promise.all(
          Array.from({ length: limits.comments / 2 }, (_, n) => comment(journey, interactionId, `${half} ${n}`)),
        );
      for (const half of ['first', 'second']) await say(half).then(() => sleep(2000)); // frames are limited, too
      return comment(journey, interactionId, 'more');
    },
  },
  commentBytes: {
    code: 'invalid',
    async exceed(journey) {
      const { interactionId } = await journey.ask('scripted', { request: question() });
      return comment(journey, interactionId, 'é'.repeat(limits.commentBytes / 2 + 1));
    },
  },
  reprompts: {
    code: 'reprompt_limit',
    async exceed(journey) {
      let prompt = await journey.ask('scripted', { request: question(), onResponse: [{ return: again }] });
      for (let attempt = 1; attempt <= limits.reprompts; attempt += 1) {
        await journey.submit(prompt, { answer: 'x' });
        prompt = await journey.next(prompt);
      }
      await journey.submit(prompt, { answer: 'x' });
      return journey.outcome();
    },
  },
  fileBytes: {
    code: 'invalid',
    exceed: (journey, url) => announce(journey, url, [limits.fileBytes + 1]),
  },
  callUploads: {
    code: 'invalid',
    exceed: (journey, url) => announce(journey, url, Array(limits.callUploads + 1).fill(1)),
  },
  sessionFileBytes: {
    code: 'invalid',
    exceed: (journey, url) =>
      announce(journey, url, Array(Math.ceil(limits.sessionFileBytes / limits.fileBytes)).fill(limits.fileBytes)),
  },
  resultBytes: {
    code: 'invalid_result',
    exceed: (journey) => journey.run('bulk', { size: limits.resultBytes }),
  },
};

/** How often each limit was exceeded so far. */
async function readLimits(server: ServerProcess): Promise<Record<string, number>> {
  const text = await (await fetch(`${server.httpUrl}/metrics`)).text();
  const lines = text.matchAll(/^parley_limits_reached_total\{limit="(\w+)"\} (\d+)$/gm);
  return Object.fromEntries([...lines].map(([, limit, count]) => [limit, Number(count)]));
}

test.each(Object.entries(cases))(
  '[SEC6] %s: beyond the limit there is a code and a count',
  async (limit, { code, also = limit, exceed }) => {
    const plugins = [pluginPath('scripted.mjs'), pluginOf(bulky)];
    const server = await startServer({
      plugins,
      env: { PARLEY_FRAMES_PER_SECOND: '', PARLEY_UNADMITTED_SOCKETS: String(unadmittedSockets) },
    });
    const none = Object.fromEntries(Object.keys({ ...limits, ...quotas }).map((name) => [name, 0]));
    expect(await readLimits(server)).toEqual(none);
    const journey = await Journey.begin(server);
    expect((await journey.tab.waitFor('welcome')).limits).toEqual(limits);

    expect(JSON.stringify(await exceed(journey, server.socketUrl))).toContain(code);
    const { [limit]: count, ...others } = await readLimits(server);
    expect(count).toBeGreaterThan(0);
    expect({ ...others, [also]: undefined }).toEqual({ ...none, [limit]: undefined, [also]: undefined });

    const neighbour = await Journey.begin(server);
    await neighbour.run('bulk', { size: 1 });
  },
);

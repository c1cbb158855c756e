import { describe, expect, test, vi } from 'vitest';
import { Journey } from '../support/journey.ts';
import { pluginOf } from '../support/plugin-file.ts';
import { useServer } from '../support/use-server.ts';

/** Values that can be thrown but not read. */
const source = `
  const raising = (member) => Object.defineProperty(new Error('boom'), member, { get() { throw new Error('no ' + member); } });
  const revoked = () => { const { proxy, revoke } = Proxy.revocable({}, {}); revoke(); return proxy; };
  const own = () => { const error = new Error('boom'); error.cause = error; return error; };
  const numbered = () => Object.assign(new Error('boom'), { stack: 5 });
  const odd = {
    code: () => raising('code'), message: () => raising('message'), stack: () => raising('stack'), cause: () => raising('cause'),
    name: () => raising('name'), constructor: () => raising('constructor'), revoked, own, numbered,
  };
  const parameters = { type: 'object' };
  const tool = (name, more) => ({ name, description: 'Throws.', parameters, handler: () => 'ran', ...more });
  const agents = Object.entries(odd).map(([name, make]) => ({ name: 'throws-' + name, async *run() { throw make(); } }));
  export default { name: 'odd', agents, covers: () => false, tools: [
    tool('thrown', { async handler({ what }) { throw odd[what](); } }),
    tool('step', { handler: ({ what }, ctx) => ctx.step('s', () => { throw odd[what](); }) }),
    tool('rule', { approval({ what }) { throw odd[what](); } }),
    tool('hook', { handler: ({ what }, ctx) => ctx.requestInteraction({ type: 'approval', title: 'x', onResponse() { throw odd[what](); } }) }),
    tool('key', { handler: ({ what }, ctx) => ctx.approve({ key() { throw odd[what](); } }) }),
    tool('logged', { handler({ what }, ctx) { ctx.log.warn('told', { error: odd[what](), fine: 1 }); return 'logged'; } }),
    tool('stray', { handler({ what }) { void Promise.reject(odd[what]()); return 'strayed'; } }),
  ] };`;

const kinds = ['code', 'message', 'stack', 'cause', 'name', 'constructor', 'revoked', 'own', 'numbered'];

const server = useServer({ plugins: [pluginOf(source)] });

describe.each(kinds)('[INT12, PLG6] an error that cannot be read (%s)', (what) => {
  test.each(['thrown', 'step', 'rule', 'key'])('ends its call and not its turn: %s', async (tool) => {
    const journey = await Journey.begin(server);
    expect((await journey.run(tool, { what })).error).toMatchObject({ code: 'tool_error' });
    expect((await journey.event('turn_end')).payload.status).toBe('completed');
  });

  test('ends its call if a hook throws it', async () => {
    const journey = await Journey.begin(server);
    const prompt = await journey.ask('hook', { what });
    await journey.answer(prompt, { action: 'approve' });
    expect((await journey.outcome(prompt)).error).toMatchObject({ code: 'handler_error' });
    expect((await journey.event('turn_end')).payload.status).toBe('completed');
  });

  test('ends the turn of an agent that throws it', async () => {
    const journey = await Journey.begin(server);
    await journey.tab.ask({ type: 'update_session', sessionId: journey.session, agent: `throws-${what}` });
    await journey.tab.say(journey.session, 'go');
    expect((await journey.event('turn_end')).payload).toMatchObject({
      status: 'error',
      error: { code: 'handler_error' },
    });
  });

  test('is logged, also if nobody catches it, and the server keeps running', async () => {
    const journey = await Journey.begin(server);
    expect(await journey.run('logged', { what })).toEqual({ result: 'logged' });
    const strays = () => server.stderr.join('').split('"unhandled rejection"').length;
    const before = strays();
    await journey.event('turn_end');
    const { seq } = await journey.call('stray', { what });
    await journey.event('turn_end', undefined, seq);
    await vi.waitUntil(() => strays() > before);
    await journey.tab.createSession();
  });
});

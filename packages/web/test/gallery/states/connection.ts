import { closeCodes, outsideAgent, type Principal } from '@parleyhq/core';
import { approval } from '../../samples.ts';
import type { GalleryState, Stage } from '../stage.ts';

const converse = (stage: Stage) => {
  stage.open();
  stage.startTurn();
  stage.say('I will build it first, and ask you before it goes live.');
};

const as = (principal: Principal) => (stage: Stage) => {
  stage.server.principal = principal;
  converse(stage);
  stage.ask('c.1', approval);
};

export const connectionStates: readonly GalleryState[] = [
  {
    name: 'session: loading',
    before: (stage) => {
      converse(stage);
      stage.server.isAnswering = false;
    },
  },
  { name: 'session: empty', before: (stage) => stage.open() },
  { name: 'connection: lost', before: converse, after: (stage) => stage.disconnect() },
  {
    name: 'connection: lost, with something unsent',
    before: (stage) => {
      stage.open();
      stage.startTurn();
      stage.end();
    },
    after: async (stage) => {
      stage.disconnect();
      await stage.type('parley-composer textarea, textarea', 'And tell the others.');
      await stage.click(/^Send/);
    },
  },
  {
    name: 'connection: the server began anew',
    before: converse,
    after: (stage) => {
      stage.append(
        { type: 'turn_resumed', payload: { owner: 'again' } },
        {
          type: 'error',
          payload: { code: 'stream_restarted', message: 'The server was restarted: the answer begins again.' },
        },
      );
      stage.server.drop();
    },
  },
  {
    name: 'connection: the page is too old',
    before: converse,
    after: ({ server }) => server.drop(closeCodes.upgradeRequired),
  },
  { name: 'connection: refused', before: converse, after: ({ server }) => server.drop(closeCodes.forbidden) },
  { name: 'connection: logged out', before: converse, after: ({ server }) => server.drop(closeCodes.unauthorised) },
  {
    name: 'session: deleted elsewhere',
    before: converse,
    after: (stage) => {
      const { server, sessionId } = stage;
      const at = '2026-03-02T10:00:00.000Z';
      const session = {
        id: sessionId,
        title: '',
        agent: 'fake',
        permissionMode: 'default',
        openCount: 0,
        status: 'idle',
        seq: 0,
        createdAt: at,
        updatedAt: at,
      } as const;
      server.sendToAll({ type: 'session_deleted', session });
    },
  },
  { name: 'role: may only watch', before: as({ id: 'eve', role: 'viewer' }) },
  { name: 'role: responder', before: as({ id: 'bob', role: 'responder' }) },
  {
    name: 'interactive: off',
    before: (stage) => {
      sessionStorage.setItem('parley.interactive', 'off');
      converse(stage);
      stage.ask('c.1', approval);
    },
  },
  {
    name: 'session: of a program outside',
    before: (stage) => {
      stage.open('Codex in site');
      stage.server.append(stage.sessionId, {
        type: 'session_changed',
        payload: { agent: outsideAgent, by: stage.grace },
      });
      stage.ask('c.1', { ...approval, source: { kind: 'mcp', name: 'codex' } });
    },
  },
  {
    name: 'connection: the server began with other data',
    before: converse,
    after: ({ server }) => {
      server.epoch = 'epoch-2';
      server.drop();
    },
  },
  {
    name: 'connection: a token that is wrong',
    before: converse,
    after: async (stage) => {
      stage.server.drop(closeCodes.unauthorised);
      await stage.type('input[type="password"]', 'wrong');
      await stage.click('Log in');
    },
  },
  {
    name: 'session: others are here',
    before: converse,
    after: (stage) => {
      const { server, sessionId, grace: from } = stage;
      const message = { messageId: 'm-grace', text: 'Wait for the tests, please.', origin: 'user', from } as const;
      stage.append({ type: 'user_message', payload: message });
      server.sendToAll({ type: 'presence', sessionId, connections: 3, interactive: 3, enabled: 2 });
    },
  },
];

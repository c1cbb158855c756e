import { describe, expect, test } from 'vitest';
import type { ClientFrameType, RequestFrame } from '../wire/frame.ts';
import { maySend } from '../wire/frame-role.ts';
import type { AskedAudience, Audience } from './audience.ts';
import { mayAnswer, mayNotify, maySee, type Principal, type Role, roles } from './role.ts';

type Verdicts = Readonly<Record<Role, boolean>>;
const all = { viewer: true, responder: true, operator: true, asker: false };
const saying = { ...all, viewer: false };
const operating = { ...saying, responder: false };
const nobody = { ...operating, operator: false };
const following = { ...all, asker: true };
const calling = { ...operating, asker: true };

/** Every request frame, and the roles that may send it (ASK2). */
const table: Readonly<Record<Exclude<ClientFrameType, 'hello' | 'ping'>, Verdicts>> = {
  subscribe: following,
  unsubscribe: following,
  read_events: following,
  list_sessions: following,
  call_tool: calling,
  withdraw_call: calling,
  reply_comment: calling,
  list_grants: all,
  list_open: all,
  set_interaction_mode: all,
  activity: all,
  create_session: saying,
  update_session: saying,
  user_message: saying,
  deny_open: saying,
  edit_queued: saying,
  remove_queued: saying,
  cancel_turn: saying,
  draft: saying,
  claim_interaction: saying,
  comment_interaction: saying,
  list_suggestions: saying,
  decide_suggestion: saying,
  tool_interaction_response: saying,
  delete_session: operating,
  revoke_grant: operating,
  remove_reviewer: saying,
};

const verdictsOf = (frame: object, part: Partial<Principal> = {}): Verdicts =>
  Object.fromEntries(
    roles.map((role) => [role, maySend({ id: 'p', role, ...part }, frame as RequestFrame, 'usual')]),
  ) as Record<Role, boolean>;

describe('roles', () => {
  test.each(Object.entries(table))('[SEC4] who may send %s', (type, verdicts) => {
    expect(verdictsOf({ type })).toEqual(verdicts);
  });

  test.each([
    { type: 'tool_interaction_response', approvalScope: 'always' },
    { type: 'decide_suggestion', approvalScope: 'always' },
    { type: 'update_session', permissionMode: 'plan' },
    { type: 'remove_reviewer', scope: 'always' },
    { type: 'create_session', permissionMode: 'bypassPermissions' },
    { type: 'update_session', agent: 'other' },
    { type: 'create_session', agent: 'other' },
  ])('[SEC4, TEAM2] only an operator may make changes that outlast a session: %j', (frame) => {
    expect(verdictsOf(frame)).toEqual(operating);
  });

  test.each(['create_session', 'update_session'])('[TEAM2] %s with the default agent takes no operator', (type) => {
    expect(verdictsOf({ type, agent: 'usual' })).toEqual(saying);
  });

  test.each(['once', 'session'])('[SEC4] a responder may consent with scope %s', (approvalScope) => {
    expect(verdictsOf({ type: 'tool_interaction_response', approvalScope })).toEqual(saying);
  });

  test('[SEC4] a principal limited to some sessions sees no others, and can neither create sessions nor consent beyond them', () => {
    const sessions = ['a', 'b'];
    const some: Principal = { id: 'p', role: 'operator', sessions };
    expect(['a', 'b', 'c', ''].map((id) => maySee(some, id))).toEqual([true, true, false, false]);
    expect(maySee({ id: 'p', role: 'viewer' }, 'c')).toBe(true);
    expect(verdictsOf({ type: 'create_session' }, { sessions })).toEqual(nobody);
    expect(verdictsOf({ type: 'tool_interaction_response', approvalScope: 'always' }, { sessions })).toEqual(nobody);
    expect(verdictsOf({ type: 'tool_interaction_response' }, { sessions })).toEqual(saying);
    expect(verdictsOf({ type: 'delete_session' }, { sessions })).toEqual(operating);
  });

  test.each<[string, Audience | undefined, Verdicts]>([
    ['nobody in particular', undefined, saying],
    ['responders', { role: 'responder' }, saying],
    ['operators', { role: 'operator' }, operating],
    ['its id', { principals: ['other', 'p'] }, saying],
    ['its name', { principals: ['Ann'] }, saying],
    ['somebody else', { principals: ['Bob'] }, nobody],
    ['several roles', { roles: ['responder', 'operator'] }, saying],
    ['roles from operator on', { roles: ['operator'] }, operating],
    ['roles that contradict', { role: 'operator', roles: ['responder'] }, operating],
    ['its name, as an operator', { role: 'operator', principals: ['Ann'] }, operating],
  ])('[SEC4] a prompt for %s', (_, audience, verdicts) => {
    const answers = (role: Role) => mayAnswer({ id: 'p', name: 'Ann', role }, { audience });
    expect(Object.fromEntries(roles.map((role) => [role, answers(role)]))).toEqual(verdicts);
  });

  test.each<[string, boolean | string[] | undefined, string[]]>([
    ['nothing', undefined, ['push', 'mail']],
    ['yes', true, ['push', 'mail']],
    ['no', false, []],
    ['one way', ['mail'], ['mail']],
    ['a way that is not there', ['pager'], []],
  ])('[TEAM5] a step sets the ways by which its audience is notified: %s', (_, notify, ways) => {
    const [first, second]: [Audience, Audience] = [{ principals: ['ann'] }, { principals: ['bob'] }];
    const escalate = [{ afterMs: 1, audience: second, ...(notify !== undefined && { notify }) }];
    const waysOf = (id: string, audience: AskedAudience) =>
      ['push', 'mail'].filter((way) => mayNotify({ id, role: 'responder' }, { audience, escalate }, way));
    expect(waysOf('bob', { ...first, also: [second] })).toEqual(ways);
    expect(waysOf('bob', first)).toEqual([]);
    expect(waysOf('ann', { ...first, also: [second] })).toEqual(['push', 'mail']);
    expect(waysOf('ann', { ...first, also: [first] })).toEqual(['push', 'mail']); // a step restricts nobody asked before
  });

  test('[SEC4] consent with scope always takes an operator in the audience who sees all sessions', () => {
    const always = (part: Partial<Principal>, audience = {}) =>
      mayAnswer({ id: 'p', role: 'operator', ...part }, { audience }, 'always');
    expect(always({})).toBe(true);
    expect(always({ role: 'responder' })).toBe(false);
    expect(always({ sessions: ['a'] })).toBe(false);
    expect(always({}, { principals: ['other'] })).toBe(false);
  });

  test('[TEAM1] a name that two tokens share identifies neither; an id always identifies one', () => {
    const ann: Principal = { id: 'p', name: 'Ann', role: 'responder', hasNamesake: true };
    expect(mayAnswer(ann, { audience: { principals: ['Ann'] } })).toBe(false);
    expect(mayAnswer(ann, { audience: { principals: ['Ann', 'p'] } })).toBe(true);
  });

  test('[SEC4] an absent name matches no audience', () => {
    expect(mayAnswer({ id: 'p', role: 'operator' }, { audience: { principals: ['undefined'] } })).toBe(false);
  });
});

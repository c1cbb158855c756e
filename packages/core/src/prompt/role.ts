import type { SessionId } from '../basics/id.ts';
import type { AskedAudience, Audience } from './audience.ts';
import type { Actor, ApprovalScope, InteractionRequest } from './interaction.ts';

/** From least to most powerful; each role includes those before it (SEC4). */
const ladder = ['viewer', 'responder', 'operator'] as const;
type Rank = (typeof ladder)[number];

/** An asker stands beside the ladder: it calls the asking tools in its own channels, and nothing else (ASK2). */
export const roles = [...ladder, 'asker'] as const;
export type Role = (typeof roles)[number];

/** The holder of a token. Its permissions come from the token alone; nothing a client says adds to them (SEC4). */
export interface Principal {
  readonly id: string;
  /** A name for people. */
  readonly name?: string | undefined;
  readonly role: Role;
  /** The person behind the token: two tokens of one owner are one person (TEAM2). The principal itself if absent. */
  readonly owner?: string | undefined;
  /** Its name is that of another principal, too, and tells nobody who is meant. */
  readonly hasNamesake?: boolean | undefined;
  /** The sessions that it may see; all if undefined. */
  readonly sessions?: readonly SessionId[] | undefined;
}

export function includesRole(role: Role, wanted: Rank): boolean {
  return role !== 'asker' && ladder.indexOf(role) >= ladder.indexOf(wanted);
}

/** Whether this principal may see the session. To it, a hidden session looks like one that does not exist. */
export function maySee({ sessions }: Principal, id: SessionId): boolean {
  return sessions === undefined || sessions.includes(id);
}

/** What of a prompt says who may answer it. */
export type Asked = Pick<InteractionRequest, 'audience' | 'risk' | 'requesters'>;

/** Whether a principal that sees the session may answer such a prompt with this scope (SEC4, TEAM1, TEAM2). */
export function mayAnswer(principal: Principal, asked: Asked = {}, scope?: ApprovalScope): boolean {
  const isAsked = partsOf(asked.audience).some((audience) => isAskedBy(audience, principal, asked));
  return isAsked && mayConsent(principal, scope);
}

function isAskedBy(audience: Audience, principal: Principal, asked: Asked): boolean {
  return isMeant(principal, audience) && !isExcluded(principal, asked, audience);
}

/**
 * Whether this way of telling people may tell a principal of a prompt that it may answer. Of those whom only an escalation asked,
 * each step says by which ways they are told: by all where it does not (TEAM5).
 * @param way - `push`, or the name of a notifier
 */
export function mayTell(
  principal: Principal,
  asked: Asked & Pick<InteractionRequest, 'escalate'>,
  way: string,
): boolean {
  return partsOf(asked.audience).some((audience, step) => {
    const { notify = true } = asked.escalate?.[step - 1] ?? {}; // the first part was asked by no step
    const isWay = typeof notify === 'boolean' ? notify : notify.includes(way);
    return isWay && isAskedBy(audience, principal, asked);
  });
}

const everybody: Audience = {};

/** Each part of an audience by itself: those whom an escalation asked besides exclude whom the first excluded (TEAM5). */
function partsOf(asked: AskedAudience | undefined): readonly Audience[] {
  if (!asked?.also) return [asked ?? everybody];
  const { also, ...audience } = asked;
  const { exclude = [] } = audience;
  return [audience, ...also.map((more) => ({ ...more, exclude: [...exclude, ...(more.exclude ?? [])] }))];
}

function isMeant({ id, name, role, hasNamesake }: Principal, audience: Audience): boolean {
  const { role: least = 'responder', roles: wanted = [least], principals } = audience;
  const isNamed = principals?.some((each) => each === id || (each === name && !hasNamesake)) ?? true;
  return isNamed && includesRole(role, least) && wanted.some((each) => includesRole(role, each));
}

/** Whether a principal may change what runs as it approves it: an edit is a request of its own (TEAM2). */
export function mayEdit(principal: Principal, asked: Asked): boolean {
  const { id, owner = id } = principal;
  return mayAnswer(principal, { ...asked, requesters: [...(asked.requesters ?? []), owner] });
}

/**
 * Those whom both audiences ask; one that is absent asks everybody. Exclusions unite (TEAM1). Principals count where both name
 * them the same way, so that `principals` may be empty: then nobody is asked.
 */
export function narrowAudience(a: Audience | undefined, b: Audience | undefined): Audience | undefined {
  if (!a || !b) return a ?? b;
  const role = [a, b].some((each) => leastRole(each) === 'operator') ? 'operator' : undefined;
  const principals = b.principals ? a.principals?.filter((each) => b.principals?.includes(each)) : a.principals;
  const named = principals ?? b.principals;
  const exclude = [...new Set([...(a.exclude ?? []), ...(b.exclude ?? [])])];
  return { ...(role && { role }), ...(named && { principals: named }), ...(exclude.length > 0 && { exclude }) };
}

/** `roles` asks for one of them, and each includes those above it: the lowest counts, but not below `role`. */
function leastRole({ role = 'responder', roles = [role] }: Audience): Role {
  return role === 'responder' && roles.includes('responder') ? 'responder' : 'operator';
}

/** A requester is no second pair of eyes: where the audience says so for all, at high risk for all but operators (TEAM2). */
function isExcluded({ id, owner = id, role }: Principal, { requesters, risk }: Asked, audience: Audience): boolean {
  if (!requesters?.includes(owner)) return false;
  return asksOthers({ audience }) || (risk === 'high' && role !== 'operator');
}

function asksOthers({ audience }: Asked): boolean {
  return partsOf(audience).some(({ exclude }) => exclude?.includes('requester'));
}

/** Whether it matters to such a prompt who asked for the turn. */
export function dependsOnRequesters(asked: Asked): boolean {
  return asked.risk === 'high' || asksOthers(asked);
}

/** Whether a prompt is meant for certain people: no mode, and no grant without a giver, stands for their answer (TEAM1). */
export function isPersonal(asked: Asked): boolean {
  return asked.audience?.principals !== undefined || asksOthers(asked);
}

/** The person behind a token: two of one owner are one (TEAM2). */
export function ownerOf({ id, owner = id }: Pick<Principal, 'id' | 'owner'>): string {
  return owner;
}

/** The person who did something, by owner (TEAM2). */
export function personOf({ principal, owner = principal }: Pick<Actor, 'principal' | 'owner'>): string {
  return owner;
}

/** Whether a principal may answer with this scope. `always` consents for all sessions, so it takes an operator who sees them all. */
export function mayConsent({ role, sessions }: Principal, scope?: ApprovalScope): boolean {
  if (scope === 'always') return role === 'operator' && sessions === undefined;
  return includesRole(role, 'responder');
}

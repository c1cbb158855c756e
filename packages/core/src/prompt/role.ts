import type { SessionId } from '../basics/id.ts';
import type { AskedAudience, Audience } from './audience.ts';
import type { Actor, ApprovalScope } from './interaction.ts';
import type { InteractionRequest } from './interaction-request.ts';

/** From least to most powerful; each role includes those before it (SEC4). */
const ladder = ['viewer', 'responder', 'operator'] as const;
type Rank = (typeof ladder)[number];

/** An asker is separate from that order: it calls the asking tools in its own channels, and nothing else (ASK2). */
export const roles = [...ladder, 'asker'] as const;
export type Role = (typeof roles)[number];

/** The holder of a token. Its permissions come from the token alone; nothing a client says adds to them (SEC4). */
export interface Principal {
  readonly id: string;
  /** Display name. */
  readonly name?: string | undefined;
  readonly role: Role;
  /** Owner of the token: two tokens of one owner are one person (TEAM2). The principal itself if absent. */
  readonly owner?: string | undefined;
  /** Whether another principal has the same name, so that the name does not identify anybody. */
  readonly hasNamesake?: boolean | undefined;
  /** The sessions that it may see; all if undefined. */
  readonly sessions?: readonly SessionId[] | undefined;
}

export function includesRole(role: Role, wanted: Rank): boolean {
  return role !== 'asker' && ladder.indexOf(role) >= ladder.indexOf(wanted);
}

/** Whether this principal may see the session. If not, the session seems not to exist. */
export function maySee({ sessions }: Principal, id: SessionId): boolean {
  return sessions === undefined || sessions.includes(id);
}

/** The parts of a prompt that determine who may answer it, and with what. */
export type Asked = Pick<InteractionRequest, 'audience' | 'risk' | 'requesters' | 'stepUp'>;

/** Whether a principal that can see the session may answer such a prompt with this scope (SEC4, TEAM1, TEAM2). */
export function mayAnswer(principal: Principal, asked: Asked = {}, scope?: ApprovalScope): boolean {
  const isAsked = partsOf(asked.audience).some((audience) => isAskedBy(audience, principal, asked));
  return isAsked && mayConsent(principal, scope);
}

function isAskedBy(audience: Audience, principal: Principal, asked: Asked): boolean {
  return isMeant(principal, audience) && !isExcluded(principal, asked, audience);
}

/**
 * Whether a principal that may answer a prompt may be notified of it in this way. Each escalation step can restrict the ways for
 * the people that it adds (TEAM5).
 * @param way - `push`, or the name of a notifier
 */
export function mayNotify(
  principal: Principal,
  asked: Asked & Pick<InteractionRequest, 'escalate'>,
  way: string,
): boolean {
  return partsOf(asked.audience).some((audience, step) => {
    const { notify = true } = asked.escalate?.[step - 1] ?? {}; // the first part is the original audience, without a step
    const isWay = typeof notify === 'boolean' ? notify : notify.includes(way);
    return isWay && isAskedBy(audience, principal, asked);
  });
}

const everybody: Audience = {};

/** Splits an audience into its parts; the exclusions of the first also apply to those that escalations added (TEAM5). */
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

/** Whether a principal may approve edited arguments: an edit counts as the editor's own request (TEAM2). */
export function mayEdit(principal: Principal, asked: Asked): boolean {
  const { id, owner = id } = principal;
  return mayAnswer(principal, { ...asked, requesters: [...(asked.requesters ?? []), owner] });
}

/**
 * Intersects two audiences; an absent one includes everybody. Exclusions are united (TEAM1). Principals must be named in the
 * same way in both, so `principals` may become empty: then nobody is asked.
 */
export function narrowAudience(a: Audience | undefined, b: Audience | undefined): Audience | undefined {
  if (!a || !b) return a ?? b;
  const role = [a, b].some((each) => leastRole(each) === 'operator') ? 'operator' : undefined;
  const principals = b.principals ? a.principals?.filter((each) => b.principals?.includes(each)) : a.principals;
  const named = principals ?? b.principals;
  const exclude = [...new Set([...(a.exclude ?? []), ...(b.exclude ?? [])])];
  return { ...(role && { role }), ...(named && { principals: named }), ...(exclude.length > 0 && { exclude }) };
}

/**
 * Returns the lowest role that an audience accepts: the lowest of `roles`, because each includes those above it, but at least
 * `role`.
 */
function leastRole({ role = 'responder', roles = [role] }: Audience): Role {
  return role === 'responder' && roles.includes('responder') ? 'responder' : 'operator';
}

/**
 * Whether a requester may not answer, because somebody else should check: if the audience excludes requesters, or at high risk
 * unless they are operators (TEAM2).
 */
function isExcluded({ id, owner = id, role }: Principal, { requesters, risk }: Asked, audience: Audience): boolean {
  if (!requesters?.includes(owner)) return false;
  return asksOthers({ audience }) || (risk === 'high' && role !== 'operator');
}

function asksOthers({ audience }: Asked): boolean {
  return partsOf(audience).some(({ exclude }) => exclude?.includes('requester'));
}

/** Whether such a prompt needs to know who requested the turn. */
export function dependsOnRequesters(asked: Asked): boolean {
  return asked.risk === 'high' || asksOthers(asked);
}

/**
 * Whether a prompt is for particular people, so that neither a permission mode nor a grant without a giver may answer it (TEAM1).
 */
export function isPersonal(asked: Asked): boolean {
  return asked.audience?.principals !== undefined || asksOthers(asked);
}

/** Returns the person behind a token: two tokens of one owner are one person (TEAM2). */
export function ownerOf({ id, owner = id }: Pick<Principal, 'id' | 'owner'>): string {
  return owner;
}

/** Returns the person behind an actor, by owner (TEAM2). */
export function personOf({ principal, owner = principal }: Pick<Actor, 'principal' | 'owner'>): string {
  return owner;
}

/**
 * Whether a principal may answer with this scope. `always` applies to all sessions, so it takes an operator who sees them all.
 */
export function mayConsent({ role, sessions }: Principal, scope?: ApprovalScope): boolean {
  if (scope === 'always') return role === 'operator' && sessions === undefined;
  return includesRole(role, 'responder');
}

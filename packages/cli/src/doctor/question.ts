import {
  type AccessToken,
  type ChatEvent,
  emptyHead,
  type Head,
  headingOf,
  type InteractionRequest,
  includesRole,
  mayAnswer,
  maySee,
  ownerId,
  ownerOf,
  type Passkey,
  type Principal,
  reduceHead,
  type SessionId,
} from '@parleyhq/core';
import { formatMoment } from '@parleyhq/core/transcript';
import { type Settings, SettingsError } from '../settings/settings.ts';
import { type Finding, fault, note, ok } from './finding.ts';
import { type KnownDelivery, openQuestionLog, type QuestionLog } from './question-log.ts';
import { isValid } from './tokens.ts';

/** Who has the session on a screen, as far as the running server says. */
export interface Present {
  readonly connections: number;
  /** Those with answering turned on. */
  readonly enabled: number;
}

export interface QuestionFacts {
  readonly tokens: readonly AccessToken[];
  readonly passkeys: readonly Passkey[];
  /** @throws Error that says why the server cannot be asked */
  findPresent(id: SessionId): Promise<Present>;
}

/**
 * Finds out why nobody sees a question: who may answer it, who is connected, and who was notified.
 * @param given - the id of a session, a call or a prompt, the beginning of one, or the address of a page
 * @throws SettingsError if there is nothing with this id, or too much
 */
export async function examineQuestion(
  given: string,
  settings: Settings,
  facts: QuestionFacts,
): Promise<readonly Finding[]> {
  const log = await openQuestionLog(settings);
  try {
    const id = await findId(log, idIn(given));
    if (id === undefined) throw new SettingsError(describeAbsence(idIn(given), settings));
    const sessions = await log.find(id);
    const found = await Promise.all(sessions.map((session) => examineSession(log, session, id, settings, facts)));
    return found.flat();
  } finally {
    await log.close();
  }
}

function describeAbsence(id: string, { store, dataDir }: Settings): string {
  return store === undefined
    ? `No session, call or prompt in ${dataDir} has the id "${id}".`
    : `No session and no open question in the database has the id "${id}". If it was answered, give the id of its session.`;
}

/** The id that an address of the page ends with; anything else is an id. */
function idIn(given: string): string {
  const [, path] = /^https?:\/\/[^/]+\/s\/([^?#]+)/.exec(given) ?? [];
  return path === undefined ? given : decodeURIComponent(path.replace(/^.*\/(?=.)/, '').replace(/\/$/, ''));
}

/** @throws SettingsError if several ids begin like this */
async function findId(log: QuestionLog, start: string): Promise<string | undefined> {
  if ((await log.find(start)).length > 0) return start;
  const [first, ...others] = await log.findBeginning(start);
  if (others.length === 0) return first;
  throw new SettingsError(`Several ids begin with "${start}": ${[first, ...others].join(', ')}. Give more of it.`);
}

async function examineSession(
  log: QuestionLog,
  session: SessionId,
  id: string,
  settings: Pick<Settings, 'auth'>,
  facts: QuestionFacts,
): Promise<readonly Finding[]> {
  const { head, last } = await readHead(log, session, id);
  const isMeant = ({ toolCallId, interactionId }: InteractionRequest) =>
    [session, toolCallId, interactionId].includes(id);
  const requests = head.prompts.map(({ request }) => request).filter(isMeant);
  if (requests.length === 0) return [note('Question', 'not-open', describeEnd(last))];
  const present = await facts.findPresent(session).catch((error: Error) => error);
  const found = await Promise.all(
    requests.map(async (request) => [
      ...examineAudience(session, request, listPeople(facts.tokens, settings), facts.passkeys),
      ...examinePresence(request, present),
      ...(await log.findDeliveries(session, request.interactionId)).map((each) =>
        describeDelivery(request, each, facts.tokens),
      ),
    ]),
  );
  return found.flat();
}

/** Folds the log. `last` is the event that ended the question, if one did. */
async function readHead(
  log: QuestionLog,
  session: SessionId,
  id: string,
): Promise<{ readonly head: Head; readonly last: ChatEvent | undefined }> {
  let head = emptyHead;
  let last: ChatEvent | undefined;
  const asked = new Set<string>();
  for await (const texts of log.read(session))
    for (const text of texts) {
      const event: ChatEvent = JSON.parse(text);
      head = reduceHead(head, event);
      if (event.type === 'interaction_request') asked.add(event.payload.toolCallId);
      if (isEnd(event, asked) && namedBy(event, session).includes(id)) last = event;
    }
  return { head, last };
}

type EndEvent = ChatEvent<'interaction_response' | 'interaction_closed' | 'tool_result'>;

/** Whether an event ends a question, or a call that asked nothing. @param asked - ids of the calls that have asked so far */
function isEnd(event: ChatEvent, asked: ReadonlySet<string>): event is EndEvent {
  const { type, payload } = event;
  if (type === 'tool_result') return payload.error !== undefined && !asked.has(payload.toolCallId);
  return type === 'interaction_response' || type === 'interaction_closed';
}

function namedBy({ payload }: EndEvent, session: string): readonly string[] {
  return [session, payload.toolCallId, ...('interactionId' in payload ? [payload.interactionId] : [])];
}

function describeEnd(event: ChatEvent | undefined): string {
  const at = event && formatMoment(event.timestamp);
  if (event?.type === 'interaction_response') {
    const { by, action } = event.payload;
    return `Nothing is open: ${by.name ?? by.principal} answered on ${at} (${action}).`;
  }
  if (event?.type === 'interaction_closed')
    return `Nothing is open: the last prompt was closed on ${at} (${event.payload.reason}).`;
  if (event?.type === 'tool_result')
    return `Nothing is open: the call ended on ${at} before anybody was asked: ${event.payload.error?.message}`;
  return 'Nothing is open: no person was asked. A grant, a rule or a policy may have allowed the call, or it has not asked yet.';
}

function listPeople(tokens: readonly AccessToken[], { auth }: Pick<Settings, 'auth'>): readonly Principal[] {
  const owner: Principal = { id: ownerId, role: 'operator' };
  return auth ? [owner, ...tokens.filter(isValid)] : [owner];
}

function examineAudience(
  session: SessionId,
  request: InteractionRequest,
  people: readonly Principal[],
  passkeys: readonly Passkey[],
): readonly Finding[] {
  const subject = subjectOf(request);
  const may = people.filter((person) => maySee(person, session) && mayAnswer(person, request));
  const hasPasskey = (person: Principal) => passkeys.some((passkey) => passkey.person === ownerOf(person));
  if (request.stepUp && may.length > 0 && !may.some(hasPasskey)) {
    const words = `It needs a passkey, and none of those who may answer has one (${may.map(nameOf).join(', ')}): they add one under Devices in the page.`;
    return [fault(subject, 'passkey-missing', words)];
  }
  const voters = new Set(may.map(ownerOf)).size;
  const needed = request.decide?.approve ?? 1;
  if (may.length > 0 && voters < needed) {
    const words = `It needs ${needed} approvals, and only ${may.map(nameOf).join(', ')} may give one: create a token for somebody else who may, or withdraw it and ask for fewer.`;
    return [fault(subject, 'nobody-may-answer', words)];
  }
  const state = needed > 1 ? `It is open, and needs ${needed} approvals.` : 'It is open.';
  if (may.length > 0) return [ok(subject, `${state} May answer: ${may.map(nameOf).join(', ')}.`)];
  const wanted = describeAudience(request);
  const words = `Nobody may answer it: ${wanted}. ${describeUnfit(request, people)} create one with "parley token create", or change the policy or the tool.`;
  return [fault(subject, 'nobody-may-answer', words)];
}

/** Says why the tokens of those who are asked do not fit. */
function describeUnfit({ audience }: InteractionRequest, people: readonly Principal[]): string {
  const isMeant = ({ id, name = id }: Principal) => audience?.principals?.some((each) => each === id || each === name);
  const unfit = people.filter((person) => isMeant(person) && !includesRole(person.role, 'responder')).map(nameOf);
  return unfit.length === 0
    ? 'No valid token fits that:'
    : `${unfit.join(' and ')} may only look or ask, and no other valid token fits that:`;
}

function describeAudience({ audience, requesters, risk }: InteractionRequest): string {
  const { role, roles, principals, exclude } = audience ?? {};
  const parts = [
    ...(principals ? [`only ${principals.join(', ')}`] : []),
    ...(role === 'operator' || (roles && !roles.includes('responder')) ? ['only operators'] : []),
    ...(exclude?.includes('requester') || (requesters && risk === 'high') ? ['nobody who asked for the turn'] : []),
  ];
  return parts.length === 0 ? 'viewers and programs may not' : `the question is for ${parts.join(', and ')}`;
}

function examinePresence(request: InteractionRequest, present: Present | Error): readonly Finding[] {
  const subject = subjectOf(request);
  if (present instanceof Error)
    return [note(subject, 'presence-unknown', `Who has the session open is not known. ${present.message}`)];
  if (present.connections === 0)
    return [
      note(
        subject,
        'nobody-connected',
        'Nobody has the session open. The inbox of the page lists it for those who may answer.',
      ),
    ];
  if (present.enabled === 0)
    return [
      fault(
        subject,
        'nobody-connected',
        'All who have the session open have turned answering off, or only look: the switch is in the menu of the page.',
      ),
    ];
  return [ok(subject, `${present.connections} connected, ${present.enabled} of them with answering on.`)];
}

function describeDelivery(
  request: InteractionRequest,
  { target, principal, state, at, code, fault: words }: KnownDelivery,
  tokens: readonly AccessToken[],
): Finding {
  const subject = subjectOf(request);
  const [way] = target.split(':');
  const whom = tokens.find(({ id }) => id === principal)?.name ?? principal;
  if (code !== undefined) return fault(subject, 'not-notified', `${way} to ${whom} failed (${code}): ${words}`);
  return ok(subject, `${way} to ${whom}: ${state === 'due' ? 'will notify' : state} at ${at}.`);
}

function subjectOf(request: InteractionRequest): string {
  const words = headingOf(request);
  return `“${words.length > 60 ? `${words.slice(0, 60)}…` : words}”`;
}

function nameOf({ id, name }: Principal): string {
  return name ?? id;
}

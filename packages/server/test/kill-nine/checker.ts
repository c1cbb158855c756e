import { describeLog, fold, type LoggedEvent, type StoredSession } from './checked-log.ts';
import type { Effect } from './effects.ts';
import type { History, HistoryEntry } from './history.ts';

/** Everything that is left when a scenario has ended. */
export interface Evidence {
  readonly session: StoredSession;
  readonly histories: readonly History[];
  readonly effects: readonly Effect[];
  /** Resources that the victim still holds when every client has left. */
  readonly resources: readonly string[];
}

/**
 * Checks that what is stored, and what each client saw, keeps the promises. Independent of the server: it uses none of its code,
 * neither fold nor decisions.
 * @throws Error naming every broken invariant, with the log
 */
export function check(evidence: Evidence): void {
  const faults = [
    ...checkOrder(evidence),
    ...checkSettlements(evidence),
    ...checkAcknowledged(evidence),
    ...checkRow(evidence),
    ...checkEffects(evidence),
    ...checkResults(evidence),
    ...checkGrants(evidence),
    ...checkStreams(evidence),
    ...checkResources(evidence),
    ...checkRest(evidence),
  ];
  if (faults.length === 0) return;
  throw new Error(`${faults.map((fault) => `✗ ${fault}`).join('\n')}\n\n${describeLog(evidence.session.log)}`);
}

function* checkOrder({ session: { log, rows } }: Evidence): Generator<string> {
  for (const [index, { seq }] of log.entries()) {
    if (seq !== index + 1) yield `I1: event ${index + 1} has seq ${seq}`;
    if (rows[index] !== seq) yield `I1: the event in row ${rows[index]} says seq ${seq}`;
  }
  for (const [id, count] of tally(log.map((event) => event.id)))
    if (count > 1) yield `I1: id ${id} occurs ${count} times`;
}

function* checkSettlements({ session: { log }, histories }: Evidence): Generator<string> {
  const requests = new Map(ofType(log, 'interaction_request').map((event) => [event.payload.interactionId, event]));
  for (const event of log) {
    const about = String(event.payload.interactionId);
    const isAbout = /^interaction_(response|closed|expired|pending)$/.test(event.type);
    if (isAbout && !(event.seq > (requests.get(about)?.seq ?? event.seq)))
      yield `I4: ${event.type} of ${about} (seq ${event.seq}) does not follow its request`;
  }
  const asked = ofType(log, 'interaction_request').map(({ payload }) => payload.interactionId);
  for (const [id, count] of tally(asked)) if (count > 1) yield `I4: prompt ${id} was asked ${count} times`;
  const settled = ofType(log, 'interaction_response', 'interaction_closed').map(({ payload }) => payload.interactionId);
  for (const [id, count] of tally(settled)) if (count > 1) yield `I4: prompt ${id} was settled ${count} times`;
  const responses = ofType(log, 'interaction_response');
  for (const [id, count] of tally(responses.map(({ payload }) => payload.interactionId)))
    if (count > 1) yield `I2: prompt ${id} has ${count} responses`;
  for (const { who, entry } of entriesOf(histories, 'acked')) {
    const winners = responses.filter(({ payload }) => payload.interactionId === entry.interactionId);
    if (winners.some(({ payload }) => payload.answerId !== entry.answerId))
      yield `I2: ${who} was told that its answer to ${entry.interactionId} won; another stands in the log`;
  }
}

function* checkAcknowledged({ session: { log }, histories }: Evidence): Generator<string> {
  for (const { who, entry } of entriesOf(histories, 'acked')) {
    const event = log[entry.seq - 1];
    if (event?.type !== 'interaction_response' || event.payload.answerId !== entry.answerId)
      yield `I3: ${who}'s acknowledged answer to ${entry.interactionId} is not at seq ${entry.seq}`;
  }
  for (const { who, entry } of entriesOf(histories, 'message acked')) {
    if (log[entry.seq - 1]?.payload.messageId !== entry.messageId)
      yield `I3: ${who}'s acknowledged message is not at seq ${entry.seq}`;
  }
  for (const { who, entry } of entriesOf(histories, 'refused')) {
    if (log.some(({ type, payload }) => type === 'interaction_response' && payload.answerId === entry.answerId))
      yield `I2: ${who} was told ${entry.code}, and its answer to ${entry.interactionId} stands in the log`;
    if (entry.winner && JSON.stringify(log[entry.winner.seq - 1]) !== JSON.stringify(entry.winner))
      yield `I2: ${who} was told of another winner of ${entry.interactionId} than stands in the log`;
    const isKnown = ['already_answered', 'closed', 'stale'].includes(entry.code);
    if (!isKnown)
      yield `I3: ${who}'s answer to ${entry.interactionId}, which it had seen, was refused as ${entry.code}`;
  }
}

function* checkRow({ session: { log, row } }: Evidence): Generator<string> {
  const expected = fold(log);
  for (const [name, value] of Object.entries(expected)) {
    const stored = row[name as keyof typeof row];
    if (stored !== value) yield `I4: the session's row says ${name} ${stored}, its log ${value}`;
  }
}

/** Checks that a tool that asks runs again only with approval, and a repeatable one once per start (DUR3, DUR4). */
function* checkEffects({ session: { log }, effects }: Evidence): Generator<string> {
  const calls = new Map(ofType(log, 'tool_call').map(({ payload }) => [payload.toolCallId, String(payload.toolName)]));
  const own = effects.filter(({ call }) => calls.has(call));
  for (const [name, count] of tally(own.filter(({ kind }) => kind === 'effect').map((effect) => nameOf(effect))))
    if (count > 1) yield `I5: "${name}" took effect ${count} times`;
  for (const [name, count] of tally(own.filter(({ kind, name }) => kind === 'run' && name !== 'handler').map(nameOf))) {
    const call = name.slice(0, name.indexOf(' '));
    const allowed = 1 + leavesOf(log, call, calls.get(call) ?? '');
    if (count > allowed) yield `I5: "${name}" ran ${count} times, with leave for ${allowed}`;
  }
}

function leavesOf(log: readonly LoggedEvent[], call: string, tool: string): number {
  if (tool === 'retry') return ofType(log, 'turn_resumed').length;
  const recoveries = ofType(log, 'interaction_request').filter(({ payload }) => payload.slot === '$recovery');
  const ids = new Set(recoveries.map(({ payload }) => payload.interactionId));
  return ofType(log, 'interaction_response').filter(
    ({ payload }) => payload.toolCallId === call && payload.action === 'approve' && ids.has(payload.interactionId),
  ).length;
}

function* checkResults({ session: { log, records } }: Evidence): Generator<string> {
  const results = ofType(log, 'tool_result');
  for (const call of ofType(log, 'tool_call')) {
    const { toolCallId, toolName } = call.payload;
    const own = results.filter(({ payload }) => payload.toolCallId === toolCallId);
    const hasEnded = log.some(({ type, turnId }) => type === 'turn_end' && turnId === call.turnId);
    if (own.length > 1 || (hasEnded && own.length === 0)) yield `I6: ${toolName} has ${own.length} results`;
    if (own.some(({ seq }) => seq < call.seq)) yield `I6: the result of ${toolName} precedes its call`;
    const kept = records.filter((record) => record === toolCallId).length;
    if (own.length > 0 && kept > 0) yield `I6: ${kept} records of ${toolName} outlive its result`;
  }
  for (const { payload } of results) yield* checkAnswers(log, payload);
  const words = ofType(log, 'assistant_done').map(({ turnId, payload }) => `${turnId}: ${payload.text}`);
  for (const [said, count] of tally(words)) if (count > 1) yield `I6: the agent said it ${count} times: ${said}`;
}

/** Checks that the tool's result has the logged answer of each slot (DUR5). */
function* checkAnswers(log: readonly LoggedEvent[], { toolCallId, result }: LoggedEvent['payload']): Generator<string> {
  const { answers } = (result ?? {}) as { answers?: Record<string, unknown> };
  for (const [slot, value] of Object.entries(answers ?? {})) {
    const ids = ofType(log, 'interaction_request')
      .filter(({ payload }) => payload.toolCallId === toolCallId && payload.slot === slot)
      .map(({ payload }) => payload.interactionId);
    const response = ofType(log, 'interaction_response').find(({ payload }) => payload.interactionId === ids.at(-1));
    const [given] = Object.values((response?.payload.input ?? {}) as object);
    if (given !== value)
      yield `I2: the tool got ${JSON.stringify(value)} in slot ${slot}, the log has ${JSON.stringify(given)}`;
  }
}

/** Checks that a grant is stored with the answer that gave it, once per key, and each use is counted once (APR2, APR4). */
function* checkGrants({ session: { log, grants } }: Evidence): Generator<string> {
  const asked = ofType(log, 'interaction_request').filter(({ payload }) => payload.grantKey !== undefined);
  const keyOf = new Map(asked.map(({ payload }) => [payload.interactionId, String(payload.grantKey)]));
  for (const [what, count] of tally(asked.map(({ payload }) => `${payload.toolCallId} for ${payload.grantKey}`)))
    if (count > 1) yield `I10: leave was asked ${count} times by ${what}`;
  const given = ofType(log, 'interaction_response').filter(({ payload }) => payload.approvalScope === 'session');
  const keys = given.map(({ payload }) => String(keyOf.get(payload.interactionId)));
  for (const { id, key } of grants) if (!keys.includes(key)) yield `I10: nobody gave ${id}, for ${key}`;
  for (const [key, answers] of tally(keys)) {
    const own = grants.filter((grant) => grant.key === key);
    if (own.length !== 1) yield `I10: ${own.length} grants stand for ${key}, which was allowed`;
    const isOnlyOne = answers === 1; // a second one replaces the first, and is new
    if (!isOnlyOne || !own[0]) continue;
    const { id, uses } = own[0];
    const used = usesOf(log, id, key);
    if (uses < used || uses > used + stoppedCalls(log, key))
      yield `I10: ${id} was used ${used} times, and counts ${uses}`;
  }
}

/** Counts the calls that may have used a grant, and were stopped before their result could show it. */
function stoppedCalls(log: readonly LoggedEvent[], key: string): number {
  return ofType(log, 'tool_result').filter(({ payload: { toolName, error } }) => error && key === `["${toolName}"]`)
    .length;
}

/** Counts the uses of a grant: prompts that it settled, calls that it authorised, and a tool that took it. */
function usesOf(log: readonly LoggedEvent[], id: string, key: string): number {
  const settled = ofType(log, 'interaction_response').filter(({ payload }) => payload.grantId === id);
  const ran = ofType(log, 'tool_call').filter(
    ({ payload }) => (payload.authorised as { grantId?: string }).grantId === id,
  );
  const took = ofType(log, 'tool_result').filter(({ payload: { result } }) => (result as Took | null)?.took);
  return settled.length + ran.length + (key === '["consent"]' ? took.length : 0);
}

interface Took {
  readonly took?: string;
}

function* checkStreams({ session: { log }, histories }: Evidence): Generator<string> {
  for (const { who, entries } of histories) {
    if (entries.some(({ kind }) => kind === 'reset')) yield `I7: ${who} was told to start over`;
    const seen = entries.flatMap((entry) => (entry.kind === 'event' ? [entry.event] : []));
    for (const [index, event] of seen.entries()) {
      if (event.seq !== index + 1) yield `I7: ${who} saw seq ${event.seq} in place ${index + 1}`;
      if (JSON.stringify(event) !== JSON.stringify(log[event.seq - 1]))
        yield `I7: ${who} saw another event at seq ${event.seq} than the log has: ${JSON.stringify(event)}`;
    }
    if (seen.length > 0 && seen.length !== log.length) yield `I7: ${who} saw ${seen.length} of ${log.length} events`;
  }
}

/** Checks that an idle server holds its listening socket, and no timer or connection. */
function* checkResources({ resources }: Evidence): Generator<string> {
  if (resources.length > 0) yield `I8: the server still holds ${resources}`;
}

function* checkRest({ session: { log } }: Evidence): Generator<string> {
  const { status, openCount } = fold(log);
  if (status !== 'idle') yield `I9: the session is ${status}`;
  if (openCount > 0) yield `I9: ${openCount} prompts are open, and nothing waits for them`;
}

function ofType(log: readonly LoggedEvent[], ...types: readonly string[]): LoggedEvent[] {
  return log.filter(({ type }) => types.includes(type));
}

function nameOf({ call, name }: Effect): string {
  return `${call} ${name}`;
}

function tally(values: readonly unknown[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const value of values) counts.set(String(value), (counts.get(String(value)) ?? 0) + 1);
  return counts;
}

function entriesOf<Kind extends HistoryEntry['kind']>(histories: readonly History[], kind: Kind) {
  type Entry = Extract<HistoryEntry, { kind: Kind }>;
  return histories.flatMap(({ who, entries }) =>
    entries.filter((entry): entry is Entry => entry.kind === kind).map((entry) => ({ who, entry })),
  );
}

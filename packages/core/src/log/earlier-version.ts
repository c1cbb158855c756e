import type { InteractionId } from '../basics/id.ts';
import type { Annotation } from '../prompt/annotated-lines.ts';
import type { Actor, Subject } from '../prompt/interaction.ts';
import { personOf } from '../prompt/role.ts';
import { threadOf } from '../prompt/version.ts';
import type { InteractionItem, Items } from './items.ts';

/** What a person said when they denied a prompt. */
export interface Denial {
  readonly by: Actor;
  readonly reason?: string | undefined;
  readonly annotations?: readonly Annotation[] | undefined;
}

/** The version of a prompt's subject that was denied before (REV3). */
export interface EarlierVersion {
  readonly interactionId: InteractionId;
  readonly subject: Subject;
  /** Everybody who denied it, the one whose answer decided last. */
  readonly denials: readonly Denial[];
}

/** Finds the newest earlier version of a prompt that people denied, among the loaded items of the session (REV3). */
export function findEarlierVersion(items: Items, { request }: InteractionItem): EarlierVersion | undefined {
  const thread = request && threadOf(request.payload);
  if (!request || thread === undefined) return undefined;
  let found: InteractionItem | undefined;
  for (const item of items.values()) {
    if (item.kind !== 'interaction' || !item.request || item.request.seq >= request.seq) continue;
    if (item.response?.payload.action !== 'deny' || threadOf(item.request.payload) !== thread) continue;
    if (!found?.request || found.request.seq < item.request.seq) found = item;
  }
  const subject = found?.request?.payload.subject;
  return found && subject && { interactionId: found.interactionId, subject, denials: listDenials(found) };
}

/** Returns the denials that counted, one per person (TEAM3). */
function listDenials({ votes = [], response }: InteractionItem): readonly Denial[] {
  if (!response) return [];
  const { by: decider, struck = [] } = response.payload;
  const counted = votes.filter(({ payload }) => !struck.includes(payload.by.principal));
  const said = new Map(counted.map(({ payload }) => [personOf(payload.by), payload]));
  said.delete(personOf(decider));
  return [...[...said.values()].filter(({ action }) => action === 'deny'), response.payload];
}

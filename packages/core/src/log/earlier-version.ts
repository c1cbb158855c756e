import type { InteractionId } from '../basics/id.ts';
import type { ComparedLine } from '../basics/line-diff.ts';
import { compareVersions, type PlacedAnnotation, placeAnnotations, threadOf } from '../prompt/version.ts';
import type { InteractionItem, Items } from './items.ts';

/** The version of a prompt's subject that was refused before, and what changed since (REV3). */
export interface EarlierVersion {
  readonly interactionId: InteractionId;
  readonly refused: NonNullable<InteractionItem['response']>;
  /** The lines of both versions, in order. */
  readonly compared: readonly ComparedLine[];
  /** What was said about lines of the earlier version. */
  readonly annotations: readonly PlacedAnnotation[];
}

/** Finds the newest earlier version of a prompt that a person refused, among the loaded items of the session (REV3). */
export function findEarlierVersion(items: Items, { request }: InteractionItem): EarlierVersion | undefined {
  const thread = request && threadOf(request.payload);
  const later = request?.payload.subject;
  if (thread === undefined || !later) return undefined;
  let found: InteractionItem | undefined;
  for (const item of items.values()) {
    if (item.kind !== 'interaction' || !item.request || item.request.seq >= request.seq) continue;
    if (!isRefused(item) || threadOf(item.request.payload) !== thread) continue;
    if (!found?.request || found.request.seq < item.request.seq) found = item;
  }
  const earlier = found?.request?.payload.subject;
  if (!found?.response || !earlier) return undefined;
  const compared = compareVersions(earlier, later);
  return {
    interactionId: found.interactionId,
    refused: found.response,
    compared,
    annotations: placeAnnotations(found.response.payload.annotations ?? [], compared),
  };
}

function isRefused({ response }: InteractionItem): boolean {
  return response !== undefined && response.payload.action === 'deny';
}

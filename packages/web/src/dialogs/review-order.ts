import { findDifference, type InteractionRequest, type Items, sizeOfDifference } from '@parleyhq/core';

/**
 * Puts approvals in the order in which they should be read: by risk, then by how much they differ from the last answered one of
 * their kind, the first of its kind before all others.
 */
export function orderReview(
  requests: readonly InteractionRequest[],
  items: Items | undefined,
): readonly InteractionRequest[] {
  const sizes = new Map(requests.map((request) => [request.interactionId, sizeOf(request, items)]));
  const sizeAt = ({ interactionId }: InteractionRequest) => sizes.get(interactionId) ?? 0;
  return requests.toSorted((a, b) => levelOf(b) - levelOf(a) || sizeAt(b) - sizeAt(a));
}

function sizeOf({ interactionId }: InteractionRequest, items: Items | undefined): number {
  const item = items?.get(`interaction:${interactionId}`);
  return items && item?.kind === 'interaction' ? sizeOfDifference(findDifference(items, item)) : 0;
}

/** An approval that states no risk may have any. Not the core's own function, which would then be loaded with the first card. */
function levelOf({ risk }: InteractionRequest): number {
  return ['low', 'medium', undefined, 'high'].indexOf(risk);
}

import { digestText } from './interaction.ts';
import type { InteractionRequest } from './interaction-request.ts';

/**
 * Returns what a stored prompt showed, as the text whose SHA-256 is its digest (SIGN3). It equals `digestText` of the request
 * before it was stored: what storing adds to a view is left out again.
 */
export function shownText(request: InteractionRequest): string {
  const { toolName, interactionType: type, view: stored, ...shown } = request;
  const { plugin: _, height: __, app: ___, ...view } = stored ?? {};
  return digestText(toolName, { ...shown, type, ...(stored && { view }) } as Parameters<typeof digestText>[1]);
}

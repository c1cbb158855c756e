import { ToolError, type ToolErrorCode } from '../basics/error.ts';
import { readRequest } from '../plugin/read-request.ts';
import type { InteractionSpec } from '../prompt/interaction.ts';
import { matches } from './prompt.ts';

/** Validates a tool's request like a server. @throws ToolError with `code` (PLG8) */
export function readSpec(
  handed: object,
  code: ToolErrorCode,
  inherited: Partial<InteractionSpec> = {},
  door?: string,
): InteractionSpec {
  return readRequest(handed, { door, inherited, matches, refuse: (words) => new ToolError(code, words) });
}

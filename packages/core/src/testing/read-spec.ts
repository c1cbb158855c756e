import { ToolError, type ToolErrorCode } from '../error.ts';
import type { InteractionSpec } from '../interaction.ts';
import { readRequest } from '../read-request.ts';
import { matches } from './prompt.ts';

/** What a tool handed over, read as a server reads it. @throws ToolError with `code` (PLG8) */
export function readSpec(
  handed: object,
  code: ToolErrorCode,
  inherited: Partial<InteractionSpec> = {},
  door?: string,
): InteractionSpec {
  return readRequest(handed, { door, inherited, matches, refuse: (words) => new ToolError(code, words) });
}

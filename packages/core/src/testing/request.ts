import type { InteractionDemand } from '../demand.ts';
import { ToolError, type ToolErrorCode } from '../error.ts';
import { type FormValues, isEmptyValue } from '../field.ts';
import { type InteractionRequest, type InteractionSpec, interactionSpecSchema } from '../interaction.ts';
import { findRequestFaults } from '../request-faults.ts';
import { findUnknownMembers } from '../unknown-members.ts';
import { matches } from './prompt.ts';

const ownNames = [
  'onResponse',
  'onTimeout',
  'onCancel',
  'onLateResponse',
  'signal',
] satisfies (keyof InteractionDemand)[];

/** A request without its hooks and its signal. `inherited` holds what it need not name. @throws ToolError naming each member that does not fit (PLG8) */
export function readSpec(
  handed: object,
  code: ToolErrorCode,
  inherited: Partial<InteractionSpec> = {},
  door = 'requestInteraction',
): InteractionSpec {
  const unknown = findUnknownMembers(interactionSpecSchema, handed, ownNames);
  if (unknown.length > 0) throw new ToolError(code, `${door}: ${unknown.join(' ')}`);
  const members = Object.entries(handed).filter(([name]) => !ownNames.some((own) => own === name));
  const parsed = interactionSpecSchema.safeParse({ ...inherited, ...Object.fromEntries(members) });
  const faults = parsed.success
    ? findRequestFaults(handed, parsed.data, matches)
    : parsed.error.issues.map(({ path, message }) => `${path.join('.') || 'request'}: ${message}`);
  if (faults.length > 0 || !parsed.data) throw new ToolError(code, `${door}: ${faults.join('; ')}`);
  return parsed.data;
}

/** What a person typed into fields that stay, as the next attempt's initial values; secrets are typed again (INT8). */
export function keptValues(last: InteractionRequest, input: FormValues, { inputSchema }: InteractionSpec): FormValues {
  const secrets = secretsOf(last);
  const kept = inputSchema?.fields.filter(({ id }) => !isEmptyValue(input[id]) && !secrets.includes(id)) ?? [];
  return Object.fromEntries(kept.flatMap(({ id }) => (input[id] === undefined ? [] : [[id, input[id]]])));
}

/** The ids of the fields that are kept nowhere (INT17). */
export function secretsOf({ inputSchema }: InteractionRequest): readonly string[] {
  return inputSchema?.fields.filter(({ type }) => type === 'secret').map(({ id }) => id) ?? [];
}

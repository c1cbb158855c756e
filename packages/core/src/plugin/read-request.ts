import type { Json } from '../basics/json.ts';
import { findUnknownMembers } from '../basics/unknown-members.ts';
import type { FormValues } from '../form/field.ts';
import type { Matches } from '../form/field-check.ts';
import { type InteractionRequest, type InteractionSpec, interactionSpecSchema } from '../prompt/interaction.ts';
import type { InteractionDemand } from './demand.ts';
import { findRequestFaults } from './request-faults.ts';

/** A member of a request that its schema does not take. */
export interface RequestIssue {
  readonly code: string;
  readonly path: readonly PropertyKey[];
  readonly message: string;
}

/** Makes the error of a request that cannot be taken. @param issues - what its schema found, where it was the schema */
export type RefuseRequest = (words: string, issues: readonly RequestIssue[]) => Error;

/** How a request is read: the call of the context that it was handed to, what is inherited, and who judges patterns. */
export interface RequestReading {
  /** `requestInteraction` by default. */
  readonly door?: string | undefined;
  /** What a reprompt does not name. */
  readonly inherited?: Partial<InteractionSpec>;
  readonly matches: Matches;
  readonly refuse: RefuseRequest;
}

const ownDoor = 'requestInteraction';
const ownNames = [
  'onResponse',
  'onTimeout',
  'onCancel',
  'onLateResponse',
  'signal',
] satisfies (keyof InteractionDemand)[];

/** What an author handed over, as a request without its hooks and its signal. @throws what `refuse` makes, naming each member that is unknown or does not fit, by its path (PLG8) */
export function readRequest(
  handed: object,
  { door = ownDoor, inherited = {}, matches, refuse }: RequestReading,
): InteractionSpec {
  const unknown = findUnknownMembers(interactionSpecSchema, handed, ownNames);
  if (unknown.length > 0) throw refuse(`${door}: ${unknown.join(' ')}`, []);
  const { onResponse, onTimeout, onCancel, onLateResponse, signal, ...members } = handed as Partial<InteractionDemand>;
  const spec = parseRequest({ ...inherited, ...members }, refuse, door);
  const faults = findRequestFaults(handed, spec, matches);
  if (faults.length > 0) throw refuse(`${door}: ${faults.join('; ')}`, []);
  return spec;
}

/** What was stored is parsed, and judged no further (EVT5). @throws what `refuse` makes, naming each member that does not fit */
export function parseRequest(spec: unknown, refuse: RefuseRequest, door = ownDoor): InteractionSpec {
  const { success, data, error } = interactionSpecSchema.safeParse(spec);
  if (success) return data;
  const faults = error.issues.map(({ path, message }) => `${path.join('.') || 'request'}: ${message}`);
  throw refuse(`${door}: ${faults.join('; ')}`, error.issues);
}

/** The fields of a request that are never stored (INT17). */
export function secretFields({ inputSchema }: Pick<InteractionRequest, 'inputSchema'>): readonly string[] {
  return inputSchema?.fields.filter(({ type }) => type === 'secret').map(({ id }) => id) ?? [];
}

/** What a person typed into fields that stay, as the next attempt's initial values; secrets are typed again (INT8). */
export function typedValues(last: InteractionRequest, input: FormValues, { inputSchema }: InteractionSpec): FormValues {
  const secrets = secretFields(last);
  const fields = inputSchema?.fields.filter(({ id }) => input[id] !== undefined && !secrets.includes(id)) ?? [];
  return Object.fromEntries(fields.map(({ id }) => [id, input[id] as Json]));
}

import type { Json } from '../basics/json.ts';
import { findUnknownMembers } from '../basics/unknown-members.ts';
import type { FormValues } from '../form/field.ts';
import type { Matches } from '../form/field-check.ts';
import { type InteractionSpec, interactionSpecSchema } from '../prompt/interaction.ts';
import type { InteractionRequest } from '../prompt/interaction-request.ts';
import type { InteractionDemand } from './demand.ts';
import { findRequestFaults } from './request-faults.ts';

/** A member of a request that its schema rejects. */
export interface RequestIssue {
  readonly code: string;
  readonly path: readonly PropertyKey[];
  readonly message: string;
}

/** Makes the error for an invalid request. @param issues - validation issues, if its schema rejected it */
export type RefuseRequest = (words: string, issues: readonly RequestIssue[]) => Error;

/** Options for reading a request. */
export interface RequestReading {
  /** Name of the context's method that received it; `requestInteraction` by default. */
  readonly door?: string | undefined;
  /** Members that a reprompt takes over unless it replaces them. */
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
  'onComment',
  'signal',
] satisfies (keyof InteractionDemand)[];

/**
 * Validates an author's request and removes its hooks and signal. @throws the error that `refuse` makes, with the path of each
 * unknown or invalid member (PLG8)
 */
export function readRequest(
  handed: object,
  { door = ownDoor, inherited = {}, matches, refuse }: RequestReading,
): InteractionSpec {
  const unknown = findUnknownMembers(interactionSpecSchema, handed, ownNames);
  if (unknown.length > 0) throw refuse(`${door}: ${unknown.join(' ')}`, []);
  const { onResponse, onTimeout, onCancel, onLateResponse, onComment, signal, ...members } =
    handed as Partial<InteractionDemand>;
  const spec = parseRequest({ ...inherited, ...members }, refuse, door);
  const faults = findRequestFaults(handed, spec, matches);
  if (faults.length > 0) throw refuse(`${door}: ${faults.join('; ')}`, []);
  return spec;
}

/**
 * Parses a request by its schema only, because stored requests must stay readable (EVT5). @throws the error that `refuse` makes,
 * naming each invalid member
 */
export function parseRequest(spec: unknown, refuse: RefuseRequest, door = ownDoor): InteractionSpec {
  const { success, data, error } = interactionSpecSchema.safeParse(spec);
  if (success) return data;
  const faults = error.issues.map(({ path, message }) => `${path.join('.') || 'request'}: ${message}`);
  throw refuse(`${door}: ${faults.join('; ')}`, error.issues);
}

/** Returns the fields of a request that are never stored (INT17). */
export function secretFields({ inputSchema }: Pick<InteractionRequest, 'inputSchema'>): readonly string[] {
  return inputSchema?.fields.filter(({ type }) => type === 'secret').map(({ id }) => id) ?? [];
}

/**
 * Returns what a person typed into fields that still exist, as the next attempt's initial values; secrets must be typed again
 * (INT8).
 */
export function typedValues(last: InteractionRequest, input: FormValues, { inputSchema }: InteractionSpec): FormValues {
  const secrets = secretFields(last);
  const fields = inputSchema?.fields.filter(({ id }) => input[id] !== undefined && !secrets.includes(id)) ?? [];
  return Object.fromEntries(fields.map(({ id }) => [id, input[id] as Json]));
}

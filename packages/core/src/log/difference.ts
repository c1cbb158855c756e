import { isRecord, type Json } from '../basics/json.ts';
import type { InteractionRequest } from '../prompt/interaction-request.ts';
import { argsOf, isSameJson } from '../schema/call-args.ts';
import type { InteractionItem, Items } from './items.ts';

/** A member of the arguments that is not as it was. */
export interface ChangedMember {
  /** Names from the outside to the inside. */
  readonly path: readonly string[];
  /** Absent if there was none. */
  readonly before?: Json;
  /** Absent if there is none any more. */
  readonly after?: Json;
}

export interface ArgsDifference {
  /** Paths of the members that are the same. */
  readonly same: readonly (readonly string[])[];
  readonly changed: readonly ChangedMember[];
}

/** How a prompt differs from the last answered one of its kind in the session. */
export interface PromptDifference extends ArgsDifference {
  readonly wasAllowed: boolean;
}

type Asked = Pick<InteractionItem, 'request' | 'response'>;

/** Members of a request for leave to use a tool that name it and say nothing about it. */
const meaningless: ReadonlySet<string> = new Set(['tool_use_id', 'permission_suggestions']);

/** Compares arguments member by member; lists are compared as a whole. */
export function compareArgs(before: Json, after: Json): ArgsDifference {
  const [earlier, later] = [before, after].map((args) => new Map(flatten(args, [])));
  const same: (readonly string[])[] = [];
  const changed: ChangedMember[] = [];
  for (const [name, { path, value }] of later ?? []) {
    const old = earlier?.get(name);
    if (old && isSameJson(old.value, value)) same.push(path);
    else changed.push({ path, ...(old && { before: old.value }), after: value });
  }
  for (const [name, { path, value }] of earlier ?? []) if (!later?.has(name)) changed.push({ path, before: value });
  return { same, changed };
}

/**
 * Compares an approval with the last answered one of its kind among the loaded items: of the same tool, and for a program that asks
 * for leave to use one of its own tools, about the same of those. Undefined if there is none.
 */
export function findDifference(items: Items, asked: Asked): PromptDifference | undefined {
  const { request, response: { seq: until } = { seq: Number.POSITIVE_INFINITY } } = asked;
  const kind = request && kindOf(items, request.payload);
  if (!request || kind === undefined) return undefined;
  let last: InteractionItem | undefined;
  for (const item of items.values()) {
    if (item.kind !== 'interaction' || !item.request || !item.response || item.response.seq >= until) continue;
    const { action } = item.response.payload;
    if ((action !== 'approve' && action !== 'deny') || kindOf(items, item.request.payload) !== kind) continue;
    if (!last?.response || last.response.seq < item.response.seq) last = item;
  }
  if (!last?.request) return undefined;
  const { action, editedArgs } = last.response?.payload ?? {};
  const earlier = last.request.payload;
  const before = editedArgs ?? argsOfRequest(items, earlier) ?? null; // what was allowed, not what was asked
  const found = compareArgs(before, argsOfRequest(items, request.payload) ?? null);
  const news = found.changed.length > 0 ? found : { ...found, changed: changesOfText(earlier, request.payload) };
  return { ...news, wasAllowed: action === 'approve' };
}

/** Returns a number that grows with the difference: 0 for the same, up to 1 for nothing in common, 2 for the first of its kind. */
export function sizeOfDifference(difference: PromptDifference | undefined): number {
  if (!difference) return 2;
  const { same, changed } = difference;
  return changed.length === 0 ? 0 : changed.length / (changed.length + same.length);
}

/** The same arguments may be shown with other words, as by a handler that asks twice. */
function changesOfText(before: InteractionRequest, after: InteractionRequest): readonly ChangedMember[] {
  const [earlier, later] = [before, after].map(({ title = '', subject }) => ({ title, text: subject?.text ?? '' }));
  return compareArgs(earlier as Json, later as Json).changed;
}

function kindOf(items: Items, request: InteractionRequest): string | undefined {
  const args = argsOfRequest(items, request);
  if (request.interactionType !== 'approval' || args === undefined) return undefined;
  return JSON.stringify([request.toolName, request.source.name, innerTool(args) ?? '']);
}

/** Returns the tool for which a program asks for leave. */
function innerTool(args: Json): string | undefined {
  return isRecord(args) && typeof args.tool_name === 'string' ? args.tool_name : undefined;
}

function argsOfRequest(items: Items, { toolCallId, args }: InteractionRequest): Json | undefined {
  if (args !== undefined) return args;
  const tool = items.get(`tool:${toolCallId}`);
  return tool?.kind === 'tool' && tool.call ? argsOf(tool.call.payload) : undefined;
}

interface Member {
  readonly path: readonly string[];
  readonly value: Json;
}

function flatten(value: Json, path: readonly string[]): [string, Member][] {
  const members = isRecord(value) ? Object.entries(value as Record<string, Json>) : [];
  if (members.length === 0) return [[JSON.stringify(path), { path, value }]];
  const isRequest = path.length === 0 && innerTool(value) !== undefined;
  return members.flatMap(([name, member]) =>
    isRequest && meaningless.has(name) ? [] : flatten(member, [...path, name]),
  );
}

import { isRecord, type Json, RefusalError, storable } from '@parleyhq/core';
import * as z from 'zod';

const id = z.string().min(1).check(storable);
/** How clients mark a call in its metadata: by an id of its own, or by one within a thread. */
const useMark = /^[\w.-]+\/toolUseId$/;
const threadMark = z.object({ callId: id, threadId: id });

const maxLength = 128;

const argument = z
  .string()
  .min(1)
  .max(maxLength)
  .check(storable)
  .describe(
    'Leave this out, unless you ask again because an answer got lost: a name for the call. The same name is the same call, with the same answer.',
  );

/** Adds the caller's key of the call to a tool's parameters, as clients see them. */
export function offerCallId(parameters: Record<string, unknown>): Record<string, unknown> {
  const { properties } = parameters;
  return hasOwnCallId(parameters)
    ? parameters
    : { ...parameters, properties: { ...(isRecord(properties) && properties), callId: z.toJSONSchema(argument) } };
}

/**
 * Reads the key that a caller gives its call, in the arguments or as some clients do in the metadata: a repeat with the same key
 * is the same call (ASK6). The JSON-RPC request id cannot be used, because every client counts from the same number.
 * @throws RefusalError `invalid`
 */
export function readCallId(
  { parameters }: { readonly parameters: Record<string, unknown> },
  { args, meta }: { readonly args: Json; readonly meta: unknown },
): { readonly callId: string | undefined; readonly args: Json } {
  if (!isRecord(args) || args.callId === undefined || hasOwnCallId(parameters)) return { callId: keyOf(meta), args };
  const { callId, ...others } = args;
  const parsed = argument.safeParse(callId);
  if (!parsed.success) throw new RefusalError('invalid', { message: `callId: ${parsed.error.issues[0]?.message}` });
  return { callId: parsed.data, args: others as Json };
}

function hasOwnCallId({ properties }: Record<string, unknown>): boolean {
  return isRecord(properties) && properties.callId !== undefined;
}

function keyOf(meta: unknown): string | undefined {
  const [name, use] = Object.entries(isRecord(meta) ? meta : {}).find(([mark]) => useMark.test(mark)) ?? [];
  const inThread = threadMark.safeParse(meta).data;
  const key = id.safeParse(use).success
    ? `${name}:${use}`
    : inThread && `thread:${inThread.threadId}:${inThread.callId}`;
  return key !== undefined && key.length <= maxLength ? key : undefined;
}

import { isAbsolute, win32 } from 'node:path';
import * as z from 'zod';
import { RpcError, rpcCodes } from './rpc.ts';

const cwd = z.string().refine((path) => isAbsolute(path) || win32.isAbsolute(path), 'must be an absolute path');
const sessionId = z.string();
const mcpServers = z.array(z.object({ name: z.string() })).default([]);
const given = z.looseObject({}).nullish();

const block = z.discriminatedUnion('type', [
  z.object({ type: z.literal('text'), text: z.string() }),
  z.object({ type: z.literal('resource_link'), uri: z.string(), name: z.string(), title: z.string().nullish() }),
  z.object({ type: z.literal('resource'), resource: z.object({ uri: z.string(), text: z.string().optional() }) }),
  z.object({ type: z.literal(['image', 'audio']) }),
]);

/** A part of a prompt, as far as it is read. */
export type Block = z.output<typeof block>;

/** The params of each method, as far as they are read. */
const paramsOf = {
  initialize: z.object({
    protocolVersion: z.int(),
    clientInfo: z.object({ name: z.string(), title: z.string().nullish() }).nullish(),
    clientCapabilities: z.object({ elicitation: z.object({ form: given, url: given }).nullish() }).nullish(),
  }),
  'session/new': z.object({ cwd, mcpServers }),
  'session/load': z.object({ sessionId, cwd, mcpServers }),
  'session/resume': z.object({ sessionId, cwd, mcpServers }),
  'session/list': z.object({ cwd: cwd.nullish(), cursor: z.string().max(1000).nullish() }),
  'session/prompt': z.object({ sessionId, prompt: z.array(block) }),
  'session/set_mode': z.object({ sessionId, modeId: z.string() }),
  'session/cancel': z.object({ sessionId }),
} as const;

type Named = keyof typeof paramsOf;
export type ParamsOf<Name extends Named> = z.output<(typeof paramsOf)[Name]>;

/** The requests that follow `initialize`. */
export type Method = Exclude<Named, 'initialize' | 'session/cancel'>;

export function isMethod(name: string): name is Method {
  return Object.hasOwn(paramsOf, name) && name !== 'initialize' && name !== 'session/cancel';
}

/** @throws RpcError that names what is invalid */
export function readParams<Name extends Named>(method: Name, params: unknown): ParamsOf<Name> {
  const { data, error } = paramsOf[method].safeParse(params ?? {});
  if (error) throw new RpcError(rpcCodes.invalidParams, z.prettifyError(error));
  return data as ParamsOf<Name>;
}

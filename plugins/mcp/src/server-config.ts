import { readFileSync } from 'node:fs';
import { isRecord } from '@parleyhq/core';
import * as z from 'zod';

const texts = z.record(z.string(), z.string());
/** A server in the format of other MCP hosts: a program or an address. Unknown members belong to those hosts. */
const serverSchema = z
  .looseObject({
    type: z
      .enum(['stdio', 'http', 'streamable-http', 'streamableHttp'], 'must be "stdio" or "http": "sse" is not supported')
      .optional(),
    command: z.string().min(1).optional(),
    args: z.array(z.string()).optional(),
    env: texts.optional(),
    cwd: z.string().optional(),
    url: z.url({ protocol: /^https?$/, error: 'must be an http or https address' }).optional(),
    headers: texts.optional(),
    /** How people sign in to a remote server that requires it; `false` if nobody may be asked to. */
    oauth: z
      .union([
        z.literal(false),
        z
          .strictObject({
            clientId: z.string().min(1).optional(),
            clientSecret: z.string().min(1).optional(),
            /** URL of a document that describes the client, which replaces registration. */
            clientMetadataUrl: z
              .url({ protocol: /^https$/, error: 'must be an https address' })
              .refine((url) => new URL(url).pathname !== '/', 'must have a path')
              .optional(),
            /** The authorisation server at which the client is registered. */
            issuer: z.url({ protocol: /^https?$/, error: 'must be an http or https address' }).optional(),
            scope: z.string().min(1).optional(),
          })
          .refine(
            ({ clientSecret, clientId, issuer }) =>
              clientSecret === undefined || (clientId !== undefined && issuer !== undefined),
            'a "clientSecret" goes only to the "issuer" that knows it, with its "clientId": both are required',
          ),
      ])
      .optional(),
    disabled: z.boolean().optional(),
    /** The era of the protocol, for servers that claim both but support only one. */
    protocol: z.enum(['auto', '2025', '2026'], 'must be "auto", "2025" or "2026"').optional(),
    /** Maximum number of connections at a time, for servers of the 2025 era. */
    connections: z.int().min(1).max(64).optional(),
  })
  .refine(({ command, url }) => (command === undefined) !== (url === undefined), 'needs a "command" or a "url"');

export type ServerConfig = z.infer<typeof serverSchema>;

const nameSchema = z.string().min(1).max(100);
/** Null for a disabled server; it also removes a server of that name from a file. */
const serversSchema = z.record(nameSchema, z.preprocess(readEntry, serverSchema.nullable()));

/** Does not validate disabled servers, and treats a null member as absent. */
function readEntry(server: unknown): unknown {
  if (!isRecord(server)) return server ?? undefined;
  if (server.disabled === true) return null;
  return Object.fromEntries(Object.entries(server).filter(([, member]) => member !== null));
}

/** The settings of the plugin. */
export const configSchema = z.strictObject({
  mcpServers: serversSchema.default({}).describe('The servers by name, in the format of other MCP hosts.'),
  files: z.array(z.string()).default([]).describe('Files with "mcpServers", such as claude_desktop_config.json.'),
});

/** Lenient: a file of another host may have other members, and entries to which Parley cannot connect. */
const fileSchema = z.looseObject({ mcpServers: z.record(z.string(), z.unknown()).nullish() });

/**
 * Reads all servers. A server in the settings replaces one of the same name in a file.
 * @param onFault - receives a description of each entry of a file that is left out
 * @throws Error naming the file that cannot be read, and why
 */
export function readServers(
  { mcpServers, files }: z.infer<typeof configSchema>,
  onFault: (words: string) => void = () => undefined,
): ReadonlyMap<string, ServerConfig> {
  const all = new Map([...files.flatMap((file) => readFile(file, onFault)), ...Object.entries(mcpServers)]);
  return new Map([...all].flatMap(([name, server]) => (server ? [[name, server]] : [])));
}

function readFile(file: string, onFault: (words: string) => void): [name: string, server: ServerConfig | null][] {
  let value: unknown;
  try {
    value = JSON.parse(readFileSync(file, 'utf8'));
  } catch (cause) {
    throw new Error(`"${file}" could not be read: ${cause instanceof Error ? cause.message : cause}`, { cause });
  }
  const { data, error } = fileSchema.safeParse(value);
  if (!data) throw new Error(`"${file}" is not valid: ${describeIssues(error)}`);
  return Object.entries(data.mcpServers ?? {}).flatMap(([name, entry]) => {
    const { data: servers, error: fault } = serversSchema.safeParse({ [name]: entry });
    if (fault) onFault(`the MCP server "${name}" of "${file}" is left out: ${describeIssues(fault)}`);
    return Object.entries(servers ?? {});
  });
}

function describeIssues({ issues }: z.ZodError): string {
  return issues.map(({ path, message }) => `${path.map(String).join('.') || 'it'}: ${message}`).join('; ');
}

/** Returns the settings of other hosts that would let calls run without asking. Parley ignores them. */
export function findForeignConsents(config: ServerConfig): string[] {
  return ['autoApprove', 'alwaysAllow', 'trust'].filter((name) => name in config);
}

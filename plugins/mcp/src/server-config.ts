import { readFileSync } from 'node:fs';
import { isRecord } from '@parleyhq/core';
import * as z from 'zod';

const texts = z.record(z.string(), z.string());
/** A server as other hosts of MCP write it: a program, or an address. Members that Parley does not know are theirs. */
const serverSchema = z
  .looseObject({
    type: z
      .enum(['stdio', 'http', 'streamable-http', 'streamableHttp'], 'must be "stdio" or "http": "sse" is not spoken')
      .optional(),
    command: z.string().min(1).optional(),
    args: z.array(z.string()).optional(),
    env: texts.optional(),
    cwd: z.string().optional(),
    url: z.url({ protocol: /^https?$/, error: 'must be an http or https address' }).optional(),
    headers: texts.optional(),
    /** How people sign in to a remote server that wants it; `false` where nobody may be asked to. */
    oauth: z
      .union([
        z.literal(false),
        z
          .strictObject({
            clientId: z.string().min(1).optional(),
            clientSecret: z.string().min(1).optional(),
            /** Where the authorisation server reads what else it would be told at registration. */
            clientMetadataUrl: z
              .url({ protocol: /^https$/, error: 'must be an https address' })
              .refine((url) => new URL(url).pathname !== '/', 'must have a path')
              .optional(),
            /** Where the client is registered. */
            issuer: z.url({ protocol: /^https?$/, error: 'must be an http or https address' }).optional(),
            scope: z.string().min(1).optional(),
          })
          .refine(
            ({ clientSecret, clientId, issuer }) =>
              clientSecret === undefined || (clientId !== undefined && issuer !== undefined),
            'a "clientSecret" goes only to the "issuer" that knows it, beside its "clientId": both must be there',
          ),
      ])
      .optional(),
    disabled: z.boolean().optional(),
    /** The era of the protocol, where a server says that it speaks both and means one of them. */
    protocol: z.enum(['auto', '2025', '2026'], 'must be "auto", "2025" or "2026"').optional(),
    /** Connections to it at a time, where it speaks the protocol of 2025. */
    connections: z.int().min(1).max(64).optional(),
  })
  .refine(({ command, url }) => (command === undefined) !== (url === undefined), 'needs a "command" or a "url"');

export type ServerConfig = z.infer<typeof serverSchema>;

const nameSchema = z.string().min(1).max(100);
/** Null for one that is left out, also where a file has it. */
const serversSchema = z.record(nameSchema, z.preprocess(readEntry, serverSchema.nullable()));

/** What nobody connects to is not judged, and a null is an absent member. */
function readEntry(server: unknown): unknown {
  if (!isRecord(server)) return server ?? undefined;
  if (server.disabled === true) return null;
  return Object.fromEntries(Object.entries(server).filter(([, member]) => member !== null));
}

/** The settings of the plugin. */
export const configSchema = z.strictObject({
  mcpServers: serversSchema.default({}).describe('The servers by their names, as other hosts of MCP have them.'),
  files: z
    .array(z.string())
    .default([])
    .describe('Files with "mcpServers", as claude_desktop_config.json, read as they are.'),
});

/** What a file of another host says besides is not for Parley, and neither is an entry that Parley cannot connect to. */
const fileSchema = z.looseObject({ mcpServers: z.record(z.string(), z.unknown()).nullish() });

/**
 * All servers, those of files first; one of the settings takes the place of one of a file.
 * @param onFault - hears of an entry of a file that is left out
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
  if (!data) throw new Error(`"${file}" does not fit: ${tell(error)}`);
  return Object.entries(data.mcpServers ?? {}).flatMap(([name, entry]) => {
    const { data: servers, error: fault } = serversSchema.safeParse({ [name]: entry });
    if (fault) onFault(`the MCP server "${name}" of "${file}" is left out: ${tell(fault)}`);
    return Object.entries(servers ?? {});
  });
}

function tell({ issues }: z.ZodError): string {
  return issues.map(({ path, message }) => `${path.map(String).join('.') || 'it'}: ${message}`).join('; ');
}

/** Members of other hosts that would let calls run unasked. Parley asks by its own settings. */
export function findForeignConsents(config: ServerConfig): string[] {
  return ['autoApprove', 'alwaysAllow', 'trust'].filter((name) => name in config);
}

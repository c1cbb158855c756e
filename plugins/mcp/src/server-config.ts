import { readFileSync } from 'node:fs';
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
    /** Connections to it at a time, where it speaks the protocol of 2025. */
    connections: z.int().min(1).max(64).optional(),
  })
  .refine(({ command, url }) => (command === undefined) !== (url === undefined), 'needs a "command" or a "url"');

export type ServerConfig = z.infer<typeof serverSchema>;

const serversSchema = z.record(z.string().min(1).max(100), serverSchema);

/** The settings of the plugin. */
export const configSchema = z.strictObject({
  mcpServers: serversSchema.default({}).describe('The servers by their names, as other hosts of MCP have them.'),
  files: z
    .array(z.string())
    .default([])
    .describe('Files with "mcpServers", as claude_desktop_config.json, read as they are.'),
});

/** What a file of another host says besides is not for Parley. */
const fileSchema = z.looseObject({ mcpServers: serversSchema.default({}) });

/**
 * All servers, those of files first; one of the settings takes the place of one of a file.
 * @throws Error naming the file that cannot be read, and why
 */
export function readServers({ mcpServers, files }: z.infer<typeof configSchema>): ReadonlyMap<string, ServerConfig> {
  const all = [...files.flatMap((file) => Object.entries(readFile(file))), ...Object.entries(mcpServers)];
  return new Map(all.filter(([, { disabled }]) => disabled !== true));
}

function readFile(file: string): Readonly<Record<string, ServerConfig>> {
  let value: unknown;
  try {
    value = JSON.parse(readFileSync(file, 'utf8'));
  } catch (cause) {
    throw new Error(`"${file}" could not be read: ${cause instanceof Error ? cause.message : cause}`, { cause });
  }
  const { data, error } = fileSchema.safeParse(value);
  if (data) return data.mcpServers;
  const faults = error.issues.map(({ path, message }) => `${path.map(String).join('.') || 'it'}: ${message}`);
  throw new Error(`"${file}" does not fit: ${faults.join('; ')}`);
}

/** Members of other hosts that would let calls run unasked. Parley asks by its own settings. */
export function findForeignConsents(config: ServerConfig): string[] {
  return ['autoApprove', 'alwaysAllow', 'trust'].filter((name) => name in config);
}

import * as z from 'zod/mini';

/**
 * Marks a view whose page is not the plugin's own: an MCP server provides it, and it speaks the protocol of MCP Apps instead of
 * using `parley` (AGT4). It is shown with the call's arguments as its data, and proposes nothing.
 */
export const viewAppSchema = z.object({
  /** Name of the MCP server, as people know it. */
  server: z.string(),
  /** Origins to which it may connect, such as `https://api.example.com` or `wss://live.example.com`. */
  connects: z.array(z.string()),
  /** Origins from which it may load scripts, styles, images, fonts and media. */
  loads: z.array(z.string()),
});
export type ViewApp = z.infer<typeof viewAppSchema>;

const namePattern = /^(?:[a-z0-9](?:[a-z0-9-]*[a-z0-9])?\.)+[a-z](?:[a-z0-9-]*[a-z0-9])?$/;

/**
 * Whether a text is exactly one origin on the web: no path, no wildcard, no address without a name, nothing that could end a
 * directive of a policy, and no name of the local machine.
 * @param schemes - the allowed schemes, without a colon
 */
export function isWebOrigin(text: unknown, schemes: readonly string[]): text is string {
  if (typeof text !== 'string' || !URL.canParse(text)) return false;
  const { protocol, origin, hostname } = new URL(text);
  if (origin !== text || !schemes.includes(protocol.slice(0, -1))) return false;
  return hostname.length <= 253 && namePattern.test(hostname) && !/\.(?:localhost|local|internal)$/.test(hostname);
}

/** Schemes of the origins to which an MCP server's page may connect, and from which it may load. */
export const connectSchemes = ['https', 'wss'] as const;
export const loadSchemes = ['https'] as const;

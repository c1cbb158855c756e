import * as z from 'zod';
import { known } from './known-agents.ts';

const modesSchema = z
  .partialRecord(z.enum(['default', 'acceptEdits', 'plan', 'bypassPermissions']), z.string())
  .describe(
    'The mode of the agent for each of the modes of a session; one that is not named counts as "default", which is by default the mode in which the agent starts.',
  );

const cwdSchema = z.string().describe('The folder in which it works; by default each session has its own.');

const agentSchema = z.strictObject({
  command: z.string().min(1).describe('The program that speaks the protocol on its standard input and output.'),
  args: z.array(z.string()).default([]),
  env: z
    .record(z.string(), z.string())
    .default({})
    .describe('Added to its environment, which has nothing else of the server but PATH, HOME and the like.'),
  cwd: cwdSchema.optional(),
  modes: modesSchema.default({}),
  model: z.string().optional().describe('The id of the model, instead of the one that the agent chooses.'),
});

const knownName = z.enum(Object.keys(known) as [keyof typeof known]);

export type AgentConfig = z.infer<typeof agentSchema>;

/** The settings of the plugin. */
export const configSchema = z.strictObject({
  agents: z
    .record(z.string().regex(/^[A-Za-z][A-Za-z0-9_-]{0,63}$/, 'must be letters, digits, "-" and "_"'), agentSchema)
    .default({})
    .describe('The agents by name.'),
  registry: z
    .array(z.union([knownName, z.strictObject({ name: knownName, cwd: cwdSchema })]))
    .default([])
    .describe('Known agents, by name or with a folder as well, which are started with their usual command.'),
  liveMs: z
    .number()
    .min(0)
    .max(86_400_000)
    .default(300_000)
    .describe('How long an idle process is kept, in milliseconds.'),
  promptTimeoutMs: z
    .number()
    .positive()
    .nullable()
    .default(null)
    .describe('How long a question stays open, in milliseconds; null for ever.'),
});

export type AcpConfig = z.infer<typeof configSchema>;

/** Returns all agents of the settings by name. @throws Error naming an agent that is there twice */
export function readAgents({ agents, registry }: AcpConfig): ReadonlyMap<string, AgentConfig> {
  const all = new Map(Object.entries(agents));
  for (const entry of registry) {
    const { name, ...own } = typeof entry === 'string' ? { name: entry } : entry;
    if (all.has(name)) throw new Error(`The agent "${name}" is both in "agents" and in "registry".`);
    all.set(name, agentSchema.parse({ ...known[name], ...own }));
  }
  return all;
}

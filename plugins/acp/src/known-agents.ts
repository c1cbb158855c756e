/** The commands of agents that an operator installs, and their modes in which they ask people rather than decide by themselves. */
export const known = {
  'claude-code-acp': {
    command: 'claude-agent-acp',
    modes: same('default', 'acceptEdits', 'plan', 'bypassPermissions'),
  },
  'codex-acp': {
    command: 'codex-acp',
    modes: {
      default: 'read-only',
      acceptEdits: 'workspace-write',
      plan: 'read-only',
      bypassPermissions: 'agent-full-access',
    },
  },
  gemini: {
    command: 'gemini',
    args: ['--acp'],
    modes: { default: 'default', acceptEdits: 'autoEdit', plan: 'plan', bypassPermissions: 'yolo' },
  },
  opencode: {
    command: 'opencode',
    args: ['acp'],
    env: { OPENCODE_CONFIG_CONTENT: '{"permission":{"bash":"ask","edit":"ask","webfetch":"ask"}}' },
    modes: { plan: 'plan' },
  },
  qwen: {
    command: 'qwen',
    args: ['--acp'],
    modes: { default: 'default', acceptEdits: 'auto-edit', plan: 'plan', bypassPermissions: 'yolo' },
  },
} as const;

function same<Name extends string>(...names: Name[]): Record<Name, Name> {
  return Object.fromEntries(names.map((name) => [name, name])) as Record<Name, Name>;
}

import type { Subcommand } from '@parleyhq/core';
import { commands as acp } from '@parleyhq/plugin-acp/commands';
import { commands as claudeCode } from '@parleyhq/plugin-claude-code/commands';
import { commands as codex } from '@parleyhq/plugin-codex/commands';

/** The commands of the plugins that Parley ships. Imports their descriptions, and no other code of theirs. */
export const shippedCommands: readonly Subcommand[] = [...acp, ...claudeCode, ...codex];

import { definePlugin } from '@parleyhq/core';
import { commands } from './commands.ts';
import { elicitation } from './elicitation.ts';
import { makeHooksDoor } from './hooks-door.ts';
import { overrule } from './overrule.ts';

export default definePlugin({
  name: 'claude-code',
  tools: [],
  doorTools: [overrule, elicitation],
  doors: [makeHooksDoor()],
  commands,
});

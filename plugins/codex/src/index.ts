import { definePlugin } from '@parleyhq/core';
import { commands } from './commands.ts';
import { makeLiveDoor } from './live/door.ts';
import { codexApproval, codexElicitation, codexQuestions } from './live/tools.ts';

export default definePlugin({
  name: 'codex',
  tools: [],
  doorTools: [codexApproval, codexQuestions, codexElicitation],
  doors: [makeLiveDoor()],
  commands,
});

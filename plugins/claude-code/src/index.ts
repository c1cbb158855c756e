import { definePlugin } from '@parleyhq/core';
import { commands } from './commands.ts';
import { makeHooksDoor } from './hooks-door.ts';

export default definePlugin({ name: 'claude-code', tools: [], doors: [makeHooksDoor()], commands });

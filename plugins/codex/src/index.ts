import { definePlugin } from '@parleyhq/core';
import { commands } from './commands.ts';

export default definePlugin({ name: 'codex', tools: [], commands });

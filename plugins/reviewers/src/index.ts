import { definePlugin } from '@parleyhq/core';
import { command } from './command.ts';
import { model } from './model.ts';

/** Shipped reviewers of calls (LESS3). */
export default definePlugin({ name: 'reviewers', tools: [], reviewers: [command, model] });

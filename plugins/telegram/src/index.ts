import { definePlugin } from '@parleyhq/core';

export default definePlugin({ name: 'telegram', tools: [] });

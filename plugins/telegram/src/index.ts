import { definePlugin } from '@parleyhq/core';
import { telegram } from './notifier.ts';

export default definePlugin({ name: 'telegram', tools: [], notifiers: [telegram] });

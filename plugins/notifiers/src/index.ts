import { definePlugin } from '@parleyhq/core';
import { mail } from './mail.ts';
import { ntfy } from './ntfy.ts';
import { webhook } from './webhook.ts';

export default definePlugin({ name: 'notifiers', tools: [], notifiers: [webhook, ntfy, mail] });

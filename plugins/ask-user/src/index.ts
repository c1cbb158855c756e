import { definePlugin } from '@parleyhq/core';
import { askHuman } from './ask-human.ts';
import { askUser } from './ask-user.ts';
import { coversPermission, permission, suggestPermissions } from './permission.ts';
import { requestApproval } from './request-approval.ts';
import { tellHuman } from './tell-human.ts';

export default definePlugin({
  name: 'ask-user',
  tools: [askUser, askHuman, requestApproval, permission, tellHuman],
  covers: coversPermission,
  suggestRules: suggestPermissions,
});

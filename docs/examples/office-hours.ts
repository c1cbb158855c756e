import { definePlugin } from '@parleyhq/core';

/** At night only reading needs no approval, whichever agent and tool. */
export default definePlugin({
  name: 'office-hours',
  tools: [],
  onToolCall({ readOnly, source, args }) {
    if (JSON.stringify(args).includes('production')) return 'deny';
    if (readOnly) return 'pass'; // the policies, the mode and the tool decide
    const hour = new Date().getHours();
    return source !== undefined || hour < 8 || hour >= 18 ? 'ask' : 'pass';
  },
});

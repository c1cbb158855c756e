import { definePlugin, defineTool, isRecord } from '@parleyhq/core';

/** A plugin with a tool that asks whatever its arguments say, and returns what was answered. */
export const asking = definePlugin({
  name: 'stage',
  tools: [
    defineTool({
      name: 'ask',
      description: 'Asks.',
      parameters: { type: 'object' },
      onInterrupted: 'retry',
      handler: (args, ctx) =>
        ctx.requestInteraction({
          ...(args as { type: 'approval' }),
          onResponse: ({ action, approvalScope, input }) => ({
            complete: { action, ...(approvalScope && { approvalScope }), ...(isRecord(input) && { input }) },
          }),
        }),
    }),
  ],
});

/** The message with which the agent `demo` calls the tool, once for each request. */
export function askFor(...requests: readonly object[]): string {
  return requests.map((request) => `/call ask ${JSON.stringify(request)}`).join('\n');
}

export const approval = {
  type: 'approval',
  title: 'Deploy?',
  subject: { kind: 'command', text: 'make deploy' },
} as const;

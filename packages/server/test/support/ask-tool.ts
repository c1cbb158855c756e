import { defineTool, type InteractionDemand } from '@parleyhq/core';

/** A tool that asks what its arguments say: by default an approval. @param defaults - of the demand */
export function makeAskTool(defaults: Partial<InteractionDemand> = {}) {
  return defineTool({
    name: 'ask',
    description: 'Asks what it is told to ask.',
    parameters: { type: 'object' },
    handler: (args, ctx) => ctx.requestInteraction({ type: 'approval', ...defaults, ...args } as InteractionDemand),
  });
}

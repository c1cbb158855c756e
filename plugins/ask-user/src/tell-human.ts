import { defineTool } from '@parleyhq/core';
import * as z from 'zod';
import { asking, shownText } from './asking.ts';

export const tellHuman = defineTool({
  name: 'tell_human',
  description: 'Show the person a message, in Markdown. It asks nothing and returns at once.',
  parameters: z.strictObject({ text: shownText }),
  ...asking,
  handler: () => ({ ok: true }), // the call itself is the message
});

import { defineTool } from '@parleyhq/core';
import * as z from 'zod';
import { asking, shownText } from './asking.ts';

export const tellHuman = defineTool({
  name: 'tell_human',
  description: 'Tell the person something, in Markdown. Nothing is asked, and nobody is waited for.',
  parameters: z.strictObject({ text: shownText }),
  ...asking,
  handler: () => ({ ok: true }), // the call itself is the message
});

import { setTimeout as delay } from 'node:timers/promises';
import { definePlugin, defineTool } from '@parleyhq/core';
import * as z from 'zod';

const convertPhotos = defineTool({
  name: 'convert_photos',
  description: 'Convert the photos of some albums, and keep or delete the originals.',
  parameters: z.object({ albums: z.array(z.string()) }),
  hibernates: true,
  onInterrupted: 'retry', // an album may be converted twice
  async handler({ albums }, ctx) {
    for (const [n, album] of albums.entries()) {
      await ctx.step(`convert ${n}`, async () => {
        ctx.progress(`${n + 1} of ${albums.length}: ${album}\n`);
        await convert(album, ctx.signal);
      });
    }
    const { action } = await ctx.requestInteraction({
      type: 'approval',
      key: 'originals',
      title: 'Delete the originals?',
      subject: { kind: 'text', text: albums.join('\n') },
      approvalScopes: ['once'],
      timeoutMs: null,
      onUnavailable: 'wait',
    });
    if (action === 'approve') await ctx.step('delete', () => ctx.progress('The originals are deleted.\n'));
    return { converted: albums.length, deleted: action === 'approve' };
  },
});

/** Stands for work that takes long, and that stops when somebody stops the turn. */
async function convert(_album: string, signal: AbortSignal): Promise<void> {
  await delay(5, undefined, { signal });
}

export default definePlugin({ name: 'photos', tools: [convertPhotos] });

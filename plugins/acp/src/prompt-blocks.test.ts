import type { FileReference } from '@parleyhq/core';
import { expect, test } from 'vitest';
import { toPrompt } from './prompt-blocks.ts';

const mega = 1024 * 1024;
const fileOf = (fileId: string, size: number): FileReference => ({
  ...{ fileId, name: `${fileId}.txt`, mediaType: 'text/plain', size, sha256: '0'.repeat(64) },
});

test('[REV6, ACP1] a prompt carries the newest files that fit into 12 MiB, each up to 4 MiB, and opens no other', async () => {
  const opened: string[] = [];
  const openFile = async ({ fileId }: FileReference) => {
    opened.push(fileId);
    return new Blob([fileId]).stream();
  };
  const files = [
    fileOf('old', 4 * mega),
    ...['a', 'b', 'c'].map((id) => fileOf(id, 4 * mega)),
    fileOf('huge', 4 * mega + 1),
  ];
  const agent = { agentCapabilities: { promptCapabilities: { embeddedContext: true } } };
  const blocks = await toPrompt({ openFile }, { text: 'Look', files }, agent);
  expect(opened).toEqual(['a', 'b', 'c']);
  expect(
    blocks.map((block) => (block.type === 'resource' && 'text' in block.resource ? block.resource.text : block.type)),
  ).toEqual(['text', 'a', 'b', 'c']);
});

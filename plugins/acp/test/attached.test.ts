import type { FileReference } from '@parleyhq/core';
import { openFolderFiles } from '@parleyhq/server';
import { expect, test } from 'vitest';
import { AcpStage, makeFolder } from './acp-stage.ts';

const dot = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

async function upload({ tab, server }: AcpStage, name: string, body: string | Uint8Array<ArrayBuffer>) {
  const headers = {
    'upload-length': String(Buffer.byteLength(body)),
    'content-type': 'text/plain',
    'content-disposition': `attachment; filename="${name}"`,
  };
  const response = await fetch(`${server.url}/api/sessions/${tab.sessionId}/files`, { method: 'POST', headers, body });
  const { file } = (await response.json()) as { file: FileReference };
  return file;
}

/** Sends a message with a picture, a text and a film. @returns what the agent was given besides the text */
async function send(capabilities: object): Promise<readonly string[]> {
  const server = { files: openFolderFiles(makeFolder()) };
  const stage = await AcpStage.start({ fake: { capabilities }, server });
  const picture = await upload(stage, 'dot.png', new Uint8Array(Buffer.from(dot, 'base64')));
  const film = { ...(await upload(stage, 'film.bin', Uint8Array.of(0, 1, 2))) };
  await stage.tab.session.send('say:Hello', [picture, await upload(stage, 'log.txt', 'E42'), film]);
  expect(await stage.end()).toMatchObject({ status: 'completed' });
  expect(stage.prompts).toEqual(['say:Hello\n\nAttached: dot.png (70 bytes), log.txt (3 bytes), film.bin (3 bytes)']);
  return stage.notes;
}

test('[REV6, ACP1] an agent gets the images and texts of messages, and the names of all files', async () => {
  const notes = await send({ promptCapabilities: { image: true, embeddedContext: true } });
  expect(notes).toEqual([`given image image/png ${dot}`, 'given resource text/plain E42', expect.any(String)]);
});

test('[REV6, ACP1] an agent that takes neither images nor texts gets the names', async () => {
  expect(await send({})).toEqual([]);
});

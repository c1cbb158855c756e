import { randomBytes } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { SmallDisk } from '../../../../plugins/postgres/test/support/small-disk.ts';
import { makeFolder, pluginOf } from '../support/plugin-file.ts';
import type { ServerProcess } from '../support/server-process.ts';
import { startTwo } from './support/start-nodes.ts';

/** Asks for a file, and returns its size. */
const plugin = `
export default {
  name: 'clerk',
  tools: [{
    name: 'weigh_file', description: 'Asks.', parameters: { type: 'object' },
    handler: async (args, ctx) => {
      const fields = [{ id: 'cv', type: 'file', label: 'CV', required: true }];
      const { input } = await ctx.requestInteraction({ type: 'input', title: 'CV', inputSchema: { type: 'form', fields } });
      let bytes = 0;
      for await (const chunk of await ctx.openFile(input.cv)) bytes += chunk.length;
      return { bytes };
    },
  }],
};
`;

const diskMb = 8;
const content = randomBytes(1_000_000);
const half = content.length / 2;
const isRoot = process.getuid?.() === 0; // only root may mount

/** Starts two nodes whose folders, shared files and logs are on one small disk. */
async function startOnSmallDisk() {
  const place = join(makeFolder(), 'disk');
  mkdirSync(place);
  const disk = await SmallDisk.mount(place, diskMb);
  if (!disk) throw new Error('nothing can be mounted here');
  onTestFinished(() => disk.remove());
  const within = [...disk.entering, '/bin/sh', '-c', `exec "$@" 2>> ${place}/log`, 'sh'];
  const env = { PARLEY_FILES_DIR: join(place, 'files'), PARLEY_LOG_LEVEL: 'debug' };
  const { nodes } = await startTwo({ dataDir: place, within, plugins: [pluginOf(plugin)], env });
  return { disk, nodes };
}

test.runIf(isRoot)(
  '[OPS4, DUR8, PLG13] while the disk of nodes is full, an upload waits with a code, everything else continues, and what had arrived is kept',
  {
    timeout: 120_000,
  },
  async () => {
    const { disk, nodes } = await startOnSmallDisk();
    const [a, b] = nodes;
    const [atA, atB] = [await a.open(), await b.open()];
    const session = await atA.createSession();
    await atB.until((frame) => frame.type === 'session_created' && frame.session.id === session);
    for (const tab of [atA, atB]) await tab.follow(session);
    await atA.say(session, '/call weigh_file {}');
    const prompt = await atB.prompt(session);
    const request = async (
      node: ServerProcess,
      method: string,
      path: string,
      headers = {},
      body?: Buffer<ArrayBuffer>,
    ) => {
      const answer = await fetch(`${node.httpUrl}/api/sessions/${session}/${path}`, {
        method,
        headers,
        ...(body && { body }),
      });
      return { status: answer.status, ...(await answer.json()) };
    };
    const field = `interactions/${prompt.interactionId}/files/cv`;
    const size = { 'upload-length': String(content.length) };
    const begun = await request(a, 'POST', field, size, content.subarray(0, half));
    expect(begun).toMatchObject({ offset: half });
    const upload = `uploads/${begun.fileId}`;

    disk.fill();
    const full = { status: 503, error: { code: 'storage_full' } };
    for (const node of nodes) {
      const { offset } = await request(node, 'GET', upload);
      const rest = { 'upload-offset': String(offset) };
      expect(await request(node, 'PATCH', upload, rest, content.subarray(offset))).toMatchObject(full);
      expect(await request(node, 'POST', field, size, content)).toMatchObject(full);
      expect(await (await fetch(`${node.httpUrl}/readyz`)).json()).toEqual({ ready: true }); // the database has room
    }
    const other = await atB.createSession();
    await atA.until((frame) => frame.type === 'session_created' && frame.session.id === other);
    for (const tab of [atA, atB]) await tab.follow(other);
    for (const [asking, answering] of [
      [atA, atB],
      [atB, atA],
    ] as const) {
      const last = answering.events(other).at(-1)?.seq ?? 0;
      await asking.say(other, '/call ask_user {"question":"Tea or coffee?","options":["Tea","Coffee"]}');
      const asked = await answering.prompt(other, last);
      expect((await answering.answer(other, asked, { action: 'submit', input: { answer: 'Tea' } })).ok).toBe(true);
      await asking.event(other, 'turn_end', undefined, last);
    }

    disk.free();
    const { offset } = await request(b, 'GET', upload);
    expect(offset).toBeGreaterThanOrEqual(half);
    const { file } = await request(b, 'PATCH', upload, { 'upload-offset': String(offset) }, content.subarray(offset));
    expect(await atB.answer(session, prompt, { action: 'submit', input: { cv: file } })).toMatchObject({ ok: true });
    const { payload } = await atA.event(session, 'tool_result');
    expect(payload).toMatchObject({ result: { bytes: content.length } });
    for (const node of nodes) expect(await node.kill('SIGTERM')).toBe(0); // no node had ended before
  },
);

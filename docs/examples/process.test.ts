import { startParley } from '@parleyhq/client/process';
import { approve } from '@parleyhq/core/testing';
import { expect, onTestFinished, test, vi } from 'vitest';
import { pathOf } from './test/talk.ts';

test('[PLG5a] rows are imported once, though the server is killed while it asks', async () => {
  const parley = await startParley({ plugins: [pathOf('import.ts')] });
  onTestFinished(() => parley.stop());
  const [ann, ben] = [await parley.tab(), await parley.tab()];
  await ann.call('import_rows', { rows: 3 });
  await ann.answer(await ann.prompt(), approve());
  const second = await ann.prompt();
  await parley.restart();
  const other = await parley.join(ann.session.sessionId);
  expect(await other.prompt()).toEqual(second);
  await other.answer(second, approve());
  expect(await ann.result()).toEqual({ result: { imported: 3, isAnnounced: true } });
  expect(await ben.session.state.head.prompts).toEqual([]);
});

test('[PLG5a] a server that does not start reports why', async () => {
  await expect(startParley({ plugins: [pathOf('nowhere.ts')] })).rejects.toThrow('nowhere.ts');
});

test('[PLG5a, PLG11] if an expected event does not arrive, the error has the server’s warnings', async () => {
  const parley = await startParley({ plugins: ['./packages/server/test/plugins/callbacks.mjs'] });
  onTestFinished(() => parley.stop());
  const tab = await parley.tab();
  await tab.call('pay', { isStrict: true });
  const url = await tab.until(({ streams }) => streams.find(({ kind }) => kind === 'tool_output')?.text);
  expect((await fetch(url, { method: 'POST' })).status).toBe(400);
  await vi.waitFor(() => expect(parley.log).toContain('a callback was refused'), 30_000);
  vi.useFakeTimers({ toFake: ['setTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  const failed = expect(tab.result()).rejects.toThrow(
    /no sign of an event tool_result\.[\s\S]*"misfit":[\s\S]*a callback/,
  );
  await vi.advanceTimersByTimeAsync(30_000);
  await failed;
});

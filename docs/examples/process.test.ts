import { startParley } from '@parleyhq/client/process';
import { approve } from '@parleyhq/core/testing';
import { expect, onTestFinished, test } from 'vitest';
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
  expect(await ann.result()).toEqual({ result: { imported: 3, isTold: true } });
  expect(await ben.session.state.head.prompts).toEqual([]);
});

test('[PLG5a] what does not start says why', async () => {
  await expect(startParley({ plugins: [pathOf('nowhere.ts')] })).rejects.toThrow('nowhere.ts');
});

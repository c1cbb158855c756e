// Two machines on which the steps for systemd installed a server, with the lines of docs/scale.md that make them nodes.
import { chownSync, copyFileSync, statSync } from 'node:fs';
import { expect, onTestFinished, test } from 'vitest';
import { usePostgres } from '../../../../plugins/postgres/test/support/use-postgres.ts';
import { Journey } from '../../../server/test/support/journey.ts';
import { adapt } from './example.ts';
import { Installed } from './installed.ts';
import { stop } from './machine.ts';

const dataFile = 'var/lib/parley/push-keys.json';

test('[OPS1, OPS4] two servers of systemd become nodes: what one asks is answered at the other', {
  timeout: 240_000,
}, async () => {
  const store = await (await usePostgres()).createDatabase();
  const nodes = [await Installed.make(), await Installed.make()] as const;
  for (const { machine } of nodes) onTestFinished(() => machine.remove());
  const [first, second] = nodes;
  const token = first.machine.read('etc/parley/parley.env');
  const lines = adapt('node.env', {
    'postgres://parley@db.example.org/parley': store,
    '/srv/parley-files': '/tmp/files',
    '10.0.0.11': '127.0.0.1',
  });
  for (const { machine } of nodes) machine.write('etc/parley/parley.env', token + lines);

  const one = await first.start();
  second.read('parley.service'); // makes the data directory, as systemd did at the first start
  copyFileSync(first.machine.path(dataFile), second.machine.path(dataFile));
  const { uid, gid } = statSync(second.machine.path('var/lib/parley'));
  chownSync(second.machine.path(dataFile), uid, gid);
  const other = await second.start();

  const journey = await Journey.begin(one.door);
  const prompt = await journey.ask('greet');
  const elsewhere = await journey.join(other.door);
  expect(await elsewhere.submit(prompt, { name: 'Ada' })).toMatchObject({ ok: true });
  expect(await journey.outcome(prompt)).toEqual({ result: 'Hello, Ada!' });

  await first.follow('on-node.sh', { 'runuser -u parley -- ': '' }); // runuser needs more of a machine than there is
  await second.follow('on-node.sh', {
    'runuser -u parley -- ': '',
    'create --role operator --name Ann': 'list > /list',
  });
  expect(second.machine.read('list')).toContain('operator  Ann');
  for (const { server } of [one, other]) expect(await stop(server)).toBe(0);
});

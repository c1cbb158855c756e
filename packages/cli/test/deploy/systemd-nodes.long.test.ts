// Two machines on which the steps for systemd installed a server, with the lines of docs/scale.md that make them nodes.
import { copyFileSync, statSync } from 'node:fs';
import { expect, onTestFinished, test } from 'vitest';
import { usePostgres } from '../../../../plugins/postgres/test/support/use-postgres.ts';
import { Journey } from '../../../server/test/support/journey.ts';
import { adapt } from './example.ts';
import { Installed } from './installed.ts';
import { stop } from './machine.ts';

const keys = ['push-keys.json', 'receipt-key.pem'];
/** runuser needs more of a machine than there is. */
const asRoot = { 'runuser -u parley -- ': '' };

test('[OPS1, OPS4] two servers of systemd become nodes: what one asks is answered at the other', {
  timeout: 240_000,
}, async () => {
  const store = await (await usePostgres()).createDatabase();
  const make = () => Installed.make('node-user.sh');
  const nodes = [await make(), await make()] as const;
  for (const { machine } of nodes) onTestFinished(() => machine.remove());
  const [first, second] = nodes;
  for (const { machine } of nodes) {
    const readIds = (file: string) => machine.read(file).match(/^parley:.*$/m)?.[0];
    expect([readIds('etc/passwd'), readIds('etc/group')]).toEqual([
      expect.stringContaining('parley:x:742:742:'),
      'parley:x:742:',
    ]);
  }
  expect(await stop((await first.start()).server)).toBe(0); // the installation started it
  const token = first.machine.read('etc/parley/parley.env');
  const lines = adapt('node.env', {
    'postgres://parley@db.example.org/parley': store,
    '/srv/parley-files': '/tmp/files', // the test's machine has no other folder that a unit may write to
    '10.0.0.11': '127.0.0.1',
  });
  for (const node of nodes) {
    const { machine } = node;
    machine.write('etc/parley/parley.env', token + lines);
    await node.follow('node-files.sh');
    expect(machine.read('calls')).toMatch(
      /systemctl stop parley\nsystemctl disable --now parley-backup.timer\nsystemctl daemon-reload\n$/,
    );
    expect(machine.read('etc/systemd/system/parley.service.d/files.conf')).toBe(adapt('node-files.conf'));
    expect(statSync(machine.path('srv/parley-files'))).toMatchObject({ uid: 742, gid: 742 });
  }

  const one = await first.start();
  second.read('parley.service'); // makes the data directory, as systemd did at the first start
  const [makeKey = '', copyKeys = ''] = adapt('node-keys.sh')
    .split('\n')
    .filter((line) => !line.startsWith('#'));
  expect(await first.enter(makeKey)).toMatchObject({
    code: 0,
    stdout: expect.stringContaining('PUBLIC KEY'),
    stderr: '',
  });
  expect(copyKeys).toBe(`scp ${keys.map((key) => `/var/lib/parley/${key}`).join(' ')} root@10.0.0.12:/root/`);
  for (const key of keys) copyFileSync(first.machine.path('var/lib/parley', key), second.machine.path('root', key));
  await second.follow('other-node-keys.sh');
  for (const key of keys) {
    const copy = `var/lib/parley/${key}`;
    expect(second.machine.read(copy)).toBe(first.machine.read(copy));
    expect(statSync(second.machine.path(copy))).toMatchObject({ uid: 742, mode: 0o100600 });
  }
  const other = await second.start();

  const journey = await Journey.begin(one.door);
  const prompt = await journey.ask('greet');
  const elsewhere = await journey.join(other.door);
  expect(await elsewhere.submit(prompt, { name: 'Ada' })).toMatchObject({ ok: true });
  expect(await journey.outcome(prompt)).toEqual({ result: 'Hello, Ada!' });

  await first.follow('on-node.sh', asRoot);
  await second.follow('on-node.sh', {
    ...asRoot,
    'create --role operator --name Ann': 'list > /list',
  });
  expect(second.machine.read('list')).toContain('operator  Ann');
  for (const { server } of [one, other]) expect(await stop(server)).toBe(0);
});

// The documented steps to another release and back. The release to come is this one with another version and one more migration.
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { Journey } from '../../../server/test/support/journey.ts';
import { adapt, pathOf } from './example.ts';
import { Installed, type Unit } from './installed.ts';
import { stop } from './machine.ts';
import { buildNextRelease, nextVersion } from './next-release.ts';

/** The number of sessions, each with ten open questions. */
const sessionCount = 10;

/** Opens the session of a journey at another server. */
const rejoin = (journeys: readonly Journey[], { door }: Unit) =>
  Promise.all(journeys.map((journey) => journey.join(door)));

test('[OPS8, OPS5, DUR1] a hundred open questions survive an upgrade and the way back, and the older release refuses the newer data', {
  timeout: 240_000,
}, async () => {
  const installed = await Installed.make();
  const { machine } = installed;
  onTestFinished(() => machine.remove());
  const nothing = await installed.attempt('upgrade.sh');
  expect([nothing.code, machine.read('calls')]).toEqual([expect.any(Number), expect.not.stringContaining('stop')]);
  expect(nothing.code).not.toBe(0); // there is no new release yet
  const next = installed.addCheckout('opt/parley-next');
  for (const name of ['dist', 'package.json']) rmSync(join(next, name), { recursive: true });
  await buildNextRelease(next);
  const unit = 'docs/examples/deploy/parley.service';
  rmSync(machine.path('opt/parley-next', unit)); // a link to that of this release
  machine.write(`opt/parley-next/${unit}`, `${adapt('parley.service')}# Of the next release.\n`);
  const isNextUnit = () => machine.read('etc/systemd/system/parley.service').endsWith('# Of the next release.\n');
  const first = await installed.start();
  const journeys = await Promise.all(Array.from({ length: sessionCount }, () => Journey.begin(first.door)));
  const asked = await Promise.all(
    journeys.map(async (journey) => {
      await journey.tab.say(journey.session, Array(10).fill('/call greet').join('\n'));
      return journey.prompts(10);
    }),
  );
  const version = async () =>
    (await machine.run(['parley', '--version'], installed.read('parley.service').options)).stdout.trim();
  const released = await version();
  expect(await stop(first.server)).toBe(0);

  for (const folder of ['opt', 'var/lib']) {
    machine.makeFolder(`${folder}/parley-before`);
    machine.write(`${folder}/parley-before/of-an-earlier-upgrade`, '');
  }
  await installed.follow('upgrade.sh');
  expect(existsSync(machine.path('var/lib/parley-before/parley.db'))).toBe(true);
  for (const folder of ['opt', 'var/lib'])
    expect(existsSync(machine.path(folder, 'parley-before/of-an-earlier-upgrade'))).toBe(false);
  expect([await version(), released]).toEqual([nextVersion, expect.not.stringContaining(nextVersion)]);
  expect(isNextUnit()).toBe(true);
  const upgraded = await installed.start();
  const after = await rejoin(journeys, upgraded);
  for (const [n, journey] of after.entries())
    for (const prompt of asked[n] ?? [])
      expect(await journey.submit(prompt, { name: 'Ada' })).toMatchObject({ ok: true });
  for (const journey of after)
    expect(await journey.words()).toBe(Array(10).fill('greet returned: "Hello, Ada!"').join('\n'));
  expect(await stop(upgraded.server)).toBe(0);

  // the older release, but not the older data
  machine.write('swap.sh', 'mv /opt/parley /opt/parley-next && mv /opt/parley-before /opt/parley\n');
  await machine.run(['sh', '/swap.sh']);
  const { command, options } = installed.read('parley.service');
  const refused = await machine.run(command, options);
  expect([refused.code, refused.stdout]).toEqual([1, '']);
  const plain = (text: string) => text.replaceAll(/\d+/g, 'N').trim();
  const [, shown = ''] = /```text\n([\s\S]*?)```/.exec(readFileSync(pathOf('docs/upgrade.md'), 'utf8')) ?? [];
  expect(plain(refused.stderr)).toBe(plain(shown));

  machine.write('swap.sh', 'mv /opt/parley /opt/parley-before && mv /opt/parley-next /opt/parley\n');
  await machine.run(['sh', '/swap.sh']);
  await installed.follow('downgrade.sh');
  expect([await version(), isNextUnit()]).toEqual([released, false]);
  expect(await installed.attempt('downgrade.sh')).not.toMatchObject({ code: 0 }); // there is nothing from before it
  const back = await installed.start();
  const before = await rejoin(journeys, back);
  const epochs = await Promise.all([after[0], before[0]].map((journey) => journey?.tab.waitFor('welcome')));
  expect(epochs[0]?.epoch).not.toBe(epochs[1]?.epoch); // tabs that saw the newer answers read everything again
  for (const [n, journey] of before.entries())
    for (const prompt of asked[n] ?? [])
      expect(await journey.submit(prompt, { name: 'Bea' })).toMatchObject({ ok: true });
  expect(await stop(back.server)).toBe(0);

  // the steps of a node, which end when the server that systemd starts is ready
  const { PARLEY_PORT: port = '' } = installed.read('parley.service').options.env;
  const steps = installed.follow('upgrade-node.sh', { '10.0.0.11:7420': `127.0.0.1:${port}` });
  await vi.waitFor(() => expect(existsSync(machine.path('opt/parley-before'))).toBe(true));
  const node = await installed.start();
  await steps;
  expect([await version(), isNextUnit()]).toEqual([nextVersion, true]);
  expect(await stop(node.server)).toBe(0);
});

// Without a container engine in tests, the profile `nodes` of docker-compose.yml runs here as processes, with the commands and
// the environment of the files. Addresses, ports and folders are this machine's, and a proxy of the test replaces Caddy.
import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import postgres from 'postgres';
import { expect, onTestFinished, test } from 'vitest';
import { parse } from 'yaml';
import { PostgresServer } from '../../../../plugins/postgres/test/support/postgres-server.ts';
import { ServerProcess } from '../support/server-process.ts';
import { Tab } from '../support/tab.ts';
import { Door } from './support/door.ts';

const read = (name: string) => readFileSync(fileURLToPath(new URL(`../../../../${name}`, import.meta.url)), 'utf8');
const token = 'parley_of-the-compose-file';

interface Service {
  readonly environment: Readonly<Record<string, string>>;
  readonly healthcheck: { readonly test: readonly string[] };
}

/** Substitutes `${NAME:-default}` and `${NAME:?why not}`, as the engine does. */
function fill(text: string, values: Readonly<Record<string, string>>): string {
  return text.replace(/\$\{(\w+):[-?]([^}]*)\}/g, (_, name: string, other: string) => values[name] ?? other);
}

/** Reads the command of the image, without what each test chooses itself, on loopback. */
function readCommand(): string[] {
  const [, text = ''] = /^CMD (\[.*\])$/m.exec(read('Dockerfile')) ?? [];
  const [serve, ...flags]: string[] = JSON.parse(text);
  expect(serve).toBe('serve');
  for (const name of ['--port', '--data-dir']) flags.splice(flags.indexOf(name), 2);
  return flags.map((flag) => (flag === '0.0.0.0' ? '127.0.0.1' : flag));
}

test('[OPS4] the two nodes of the compose file serve one session behind a proxy, and continue when one of them is stopped', {
  timeout: 180_000,
}, async () => {
  const { services } = parse(read('docker-compose.yml'), { strict: true, merge: true });
  const database = await PostgresServer.create();
  onTestFinished(() => database.remove());
  await database.start();
  const admin = postgres(database.urlOf('postgres'), { max: 1 });
  await admin.unsafe(`create database ${services.postgres.environment.POSTGRES_DB}`);
  await admin.end();
  const door = await Door.open();
  onTestFinished(() => door.close());
  const volume = mkdtempSync(join(tmpdir(), 'parley-compose-'));
  onTestFinished(() => rmSync(volume, { recursive: true, force: true, maxRetries: 20 }));
  const values = {
    PARLEY_TOKEN: token,
    POSTGRES_PASSWORD: 'of-the-compose-file',
    PARLEY_ALLOWED_ORIGINS: `http://127.0.0.1:${door.port}`,
  };
  const start = async ({ environment, healthcheck }: Service) => {
    const filled = Object.entries(environment).map(([name, text]) => [name, fill(text, values)] as const);
    const env: Record<string, string> = Object.fromEntries(filled);
    env.PARLEY_STORE = env.PARLEY_STORE?.replace('@postgres/', `@127.0.0.1:${database.port}/`) ?? '';
    const node = await ServerProcess.start({ dataDir: volume, args: readCommand(), env });
    onTestFinished(async () => {
      await node.kill();
    });
    const [, program = '', ...words] = healthcheck.test;
    expect(program).toBe('node');
    const check = words.map((word) => word.replace(':7420', `:${node.ready.port}`));
    await promisify(execFile)(process.execPath, check); // throws if it is not healthy
    return node;
  };
  const nodes = [await start(services['node-a']), await start(services['node-b'])] as const;
  door.leadTo(...nodes.map(({ ready }) => ready.port));

  const open = () => Tab.open(`ws://127.0.0.1:${door.port}/ws`, { hello: { token } });
  const tabs = [await open(), await open(), await open(), await open()] as const;
  const session = await tabs[0].createSession();
  for (const tab of tabs.slice(1))
    await tab.until((frame) => frame.type === 'session_created' && frame.session.id === session);
  for (const tab of tabs) await tab.follow(session);
  await tabs[0].until((frame) => frame.type === 'presence' && frame.connections === tabs.length);
  await tabs[0].say(session, '/call ask_user {"question":"Tea or coffee?","options":["Tea","Coffee"]}');
  const prompt = await tabs[1].prompt(session);
  const seq = tabs[1].events(session).at(-1)?.seq ?? 0;
  door.leadTo(nodes[1].ready.port); // like a proxy that finds a node unhealthy
  expect(await nodes[0].kill('SIGTERM')).toBe(0);
  const returned = await open();
  await returned.follow(session);
  expect(await returned.answer(session, prompt, { action: 'submit', input: { answer: 'Tea' } })).toMatchObject({
    ok: true,
  });
  await returned.event(session, 'turn_end', undefined, seq);
});

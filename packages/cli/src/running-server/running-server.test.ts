import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { adoptDataDir } from '../settings/data-dir.ts';
import { keepPort } from '../settings/last-port.ts';
import { readSettings } from '../settings/settings.ts';
import { Trust } from '../settings/trust.ts';
import { makeServerKey, requireOwnServer } from './running-server.ts';

test('[SEC2] another program on the port of an earlier server is not sent the token, unless the port was named', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'parley-own-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const impostor = createServer((_, response) => response.end('{"proof":"yes"}')).listen(0, '127.0.0.1');
  onTestFinished(() => void impostor.close());
  await once(impostor, 'listening');
  const { port } = impostor.address() as AddressInfo;
  const dataDir = join(folder, '.parley');
  mkdirSync(dataDir);
  makeServerKey(dataDir);
  keepPort(dataDir, port);
  const env = { XDG_CONFIG_HOME: join(folder, 'home') };
  adoptDataDir(dataDir, new Trust({ env, isGiven: true, ask: undefined }));
  const require = async (flags: object) => requireOwnServer(await readSettings(flags, env, folder), flags);
  const token = 'a-token-of-sixteen-signs';
  await expect(require({ token })).rejects.toThrow('was not sent the token');
  await expect(require({ token, port: String(port) })).resolves.toBeUndefined(); // the user named the port
});

import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { basename, join } from 'node:path';
import { onTestFinished } from 'vitest';
import { root, type Tarballs } from './tarballs.ts';

/** Serves packages of ours until the end of the test, as the registry of their scope. @returns the line of `.npmrc` that names it */
export async function serveRegistry(tarballs: Tarballs, packages: readonly string[]): Promise<string> {
  const files = new Map<string, Buffer>();
  const documents = new Map<string, string>();
  const server = createServer(({ url = '' }, response) => {
    const found = files.get(url) ?? documents.get(decodeURIComponent(url.slice(1)));
    response.writeHead(found === undefined ? 404 : 200).end(found);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  for (const path of packages) {
    const { file } = tarballs.of(path);
    const content = await readFile(file);
    const manifest = JSON.parse(await readFile(join(root, path, 'package.json'), 'utf8'));
    const { name, version } = manifest;
    const integrity = `sha512-${createHash('sha512').update(content).digest('base64')}`;
    files.set(`/${basename(file)}`, content);
    const dist = { tarball: `${origin}/${basename(file)}`, integrity };
    const versions = { [version]: { ...manifest, dist } };
    documents.set(name, JSON.stringify({ name, 'dist-tags': { latest: version }, versions }));
  }
  return `@parleyhq:registry=${origin}/\n`;
}

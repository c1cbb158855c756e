// No container engine is available in tests, so these read the files and check that they are consistent with each other.
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';

const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));
const compose = parse(readFileSync(join(ROOT, 'docker-compose.yml'), 'utf8'), { strict: true, merge: true });
const { server, 'node-a': nodeA, 'node-b': nodeB, postgres, proxy } = compose.services;

const instructions = readFileSync(join(ROOT, 'Dockerfile'), 'utf8')
  .replace(/^#.*\n/gm, '')
  .replace(/\\\n\s*/g, '')
  .split('\n')
  .filter(Boolean)
  .map((line) => [line.slice(0, line.indexOf(' ')), line.slice(line.indexOf(' ') + 1)]);
const stages = instructions.reduce((found, [name, value]) => {
  if (name === 'FROM') found.push([]);
  found.at(-1).push([name, value]);
  return found;
}, []);
const last = (name) => stages.at(-1).findLast(([found]) => found === name)?.[1];
const flag = (name) => {
  const command = JSON.parse(last('CMD'));
  return command.includes(name) && command[command.indexOf(name) + 1];
};

describe('docker-compose.yml', () => {
  test('keeps data in a named volume, mounted at its data directory', () => {
    const [name, target] = server.volumes[0].split(':');
    expect(Object.keys(compose.volumes)).toContain(name);
    expect(flag('--data-dir')).toBe(target);
  });

  test('refuses to start without a token', () => {
    expect(server.environment.PARLEY_TOKEN).toMatch(/^\$\{PARLEY_TOKEN:\?.+\}$/);
  });

  test('publishes the port on loopback only', () => {
    expect(server.ports).toEqual([`127.0.0.1:7420:${flag('--port')}`]);
  });

  test('has the same health check as the image', () => {
    expect(server.healthcheck.test.join(' ')).toContain(`:${flag('--port')}/healthz`);
    expect(last('HEALTHCHECK')).toContain(JSON.stringify(server.healthcheck.test.at(-1)));
  });

  test('gives the server more than ten seconds to stop', () => {
    expect(Number.parseInt(server.stop_grace_period, 10)).toBeGreaterThan(10);
  });
});

describe('[OPS4] the profile of several nodes', () => {
  const own = [nodeA, nodeB, postgres, proxy];

  test('contains these services only, and none starts without the profile', () => {
    for (const service of own) expect(service.profiles).toEqual(['nodes']);
    const others = Object.values(compose.services).filter((service) => !own.includes(service));
    expect(others).toEqual([server]);
    expect(server.profiles).toBeUndefined();
  });

  test('has two nodes with one database, one token and one set of keys, as restricted as the server', () => {
    const { depends_on: afterPostgres, ...a } = nodeA;
    const { depends_on: afterA, ...b } = nodeB;
    expect(b).toEqual(a);
    expect([afterPostgres, afterA]).toEqual([
      { postgres: { condition: 'service_healthy' } },
      { 'node-a': { condition: 'service_healthy' } },
    ]);
    const { PARLEY_STORE: store, ...environment } = a.environment;
    expect(environment).toEqual(server.environment);
    expect(a.volumes).toEqual(server.volumes);
    for (const name of ['read_only', 'cap_drop', 'security_opt', 'healthcheck', 'stop_grace_period', 'image'])
      expect(a[name]).toEqual(server[name]);
    const { username, hostname, pathname } = new URL(store.replace(/\$\{[^}]*\}/, 'password'));
    const { POSTGRES_USER: user, POSTGRES_DB: database } = postgres.environment;
    expect([username, hostname, pathname]).toEqual([user, 'postgres', `/${database}`]);
    expect(store).toContain(postgres.environment.POSTGRES_PASSWORD);
  });

  test('is reachable only through the proxy, which knows both nodes', () => {
    for (const service of [nodeA, nodeB, postgres]) expect(service.ports).toBeUndefined();
    expect(proxy.ports).toEqual(server.ports);
    expect(proxy.command.filter((word) => word.startsWith('node-'))).toEqual(['node-a:7420', 'node-b:7420']);
    expect(proxy.depends_on).toEqual(['node-a', 'node-b']);
  });
});

describe('docs/examples/deploy/compose.yaml', () => {
  const team = parse(readFileSync(join(ROOT, 'docs/examples/deploy/compose.yaml'), 'utf8'), { strict: true }).services;

  test('[OPS1] restricts the server as docker-compose.yml does, and publishes only the proxy', () => {
    const names = ['image', 'init', 'read_only', 'tmpfs', 'cap_drop', 'security_opt', 'pids_limit', 'mem_limit'];
    for (const name of [...names, 'stop_grace_period', 'restart'])
      expect(team.parley[name], name).toEqual(server[name]);
    expect(Object.entries(team).filter(([, service]) => service.ports)).toEqual([['caddy', team.caddy]]);
    expect(team.caddy.image).toBe(proxy.image);
  });

  test('takes from .env only what .env.example has', () => {
    const text = readFileSync(join(ROOT, 'docs/examples/deploy/compose.yaml'), 'utf8');
    const taken = [...text.matchAll(/\$\{(\w+)(?!\w|:-)/g)].map(([, name]) => name);
    const example = readFileSync(join(ROOT, 'docs/examples/deploy/.env.example'), 'utf8');
    expect(new Set(taken)).toEqual(new Set([...example.matchAll(/^(\w+)=/gm)].map(([, name]) => name)));
  });
});

describe('[OPS1] the container and its process', () => {
  test('drops all capabilities, and gains none', () => {
    expect(server.cap_drop).toEqual(['ALL']);
    expect(server.cap_add).toBeUndefined();
    expect(server.privileged).toBeUndefined();
    expect(server.security_opt).toContain('no-new-privileges:true');
  });

  test('has a read-only root: only its volume and /tmp can be written', () => {
    expect(server.read_only).toBe(true);
    expect(server.tmpfs.map((mount) => mount.split(':')[0])).toEqual(['/tmp']);
    expect(server.volumes).toHaveLength(1);
  });

  test('limits processes and memory', () => {
    expect(server.pids_limit).toBeGreaterThan(0);
    expect(server.mem_limit).toMatch(/^\d+[mg]$/);
  });
});

describe('Dockerfile', () => {
  test('names its base images by digest, because a tag can be moved', () => {
    const bases = instructions.filter(([name]) => name === 'FROM').map(([, value]) => value);
    for (const base of bases) expect(base).toMatch(/^node:\d+\.\d+\.\d+-bookworm-slim@sha256:[0-9a-f]{64}/);
  });

  test('uses one base image in one version', () => {
    const bases = instructions.filter(([name]) => name === 'FROM').map(([, value]) => value.split(' ')[0]);
    expect(new Set(bases).size).toBe(1);
    expect(bases[0]).toMatch(/^node:\d+\.\d+\.\d+-[a-z-]+(@sha256:[0-9a-f]{64})?$/);
  });

  test('declares a proxy, because it binds every address', () => {
    expect(flag('--host')).toBe('0.0.0.0');
    expect(JSON.parse(last('CMD'))).toContain('--behind-proxy');
  });

  test('runs as an unprivileged user, without the build tools', () => {
    expect(stages).toHaveLength(2);
    expect(last('USER')).toBe('node');
    expect(stages.at(-1).join()).not.toContain('apt-get');
    expect(stages[0].join()).toContain('python3 make g++');
  });

  test('copies existing paths, and ignores builds of the host', () => {
    const copied = stages.at(-1).filter(([name]) => name === 'COPY');
    for (const [, value] of copied) expect(existsSync(join(ROOT, value.split(' ').at(-1))), value).toBe(true);
    const ignored = readFileSync(join(ROOT, '.dockerignore'), 'utf8').split('\n');
    expect(ignored).toEqual(expect.arrayContaining(['**/node_modules', '**/dist', '.git']));
  });
});

import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { networkInterfaces } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { connect as connectTls } from 'node:tls';
import { findPort } from '../../../../plugins/postgres/test/support/use-postgres.ts';
import { makeFolder } from '../../../server/test/support/plugin-file.ts';
import { adapt } from './example.ts';

/** What the proxy of a test is given instead of the names, ports and paths of the documented one. */
export interface Places {
  readonly server: number;
  readonly http: number;
  readonly https: number;
  readonly certificate: string;
  readonly key: string;
  readonly folder: string;
}

export async function findPlaces(): Promise<Places> {
  const folder = makeFolder();
  const [certificate, key] = [join(folder, 'certificate.pem'), join(folder, 'key.pem')];
  const kind = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2'];
  const name = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost'];
  execFileSync('openssl', ['req', '-x509', ...kind, ...name, '-keyout', key, '-out', certificate], { stdio: 'pipe' });
  const [server, http, https] = [await findPort(), await findPort(), await findPort()];
  return { server, http, https, certificate, key, folder };
}

/** Whether this machine can be reached at ::1. */
export const hasIpv6 = Object.values(networkInterfaces()).some((all) => all?.some(({ address }) => address === '::1'));

/** A proxy that runs with a documented configuration. */
export class WebProxy {
  #log = '';
  readonly #child: ChildProcess;

  private constructor(command: readonly string[], folder: string) {
    // It ends with this process, however that ends.
    const script = '"$@" & proxy=$!; cat > /dev/null; kill $proxy; wait';
    const env = { ...process.env, XDG_DATA_HOME: folder, XDG_CONFIG_HOME: folder };
    this.#child = spawn('/bin/sh', ['-c', script, 'sh', ...command], { stdio: ['pipe', 'pipe', 'pipe'], env });
    for (const stream of [this.#child.stdout, this.#child.stderr])
      stream?.on('data', (chunk) => {
        this.#log += String(chunk);
      });
  }

  get log(): string {
    return this.#log;
  }

  /** Starts nginx. @param change - rewrites its configuration, to show what a line is needed for */
  static async startNginx(places: Places, change = (text: string) => text): Promise<WebProxy> {
    const program = programOf('PARLEY_NGINX');
    const { folder, server, http, https, certificate, key } = places;
    const site = adapt('nginx.conf', {
      'listen 80;': `listen 127.0.0.1:${http};`,
      'listen [::]:80;': hasIpv6 ? `listen [::1]:${http};` : '',
      'listen 443 ssl;': `listen 127.0.0.1:${https} ssl;`,
      'listen [::]:443 ssl;': hasIpv6 ? `listen [::1]:${https} ssl;` : '',
      'parley.example.org;': 'localhost;',
      '/etc/ssl/parley.example.org.pem': certificate,
      '/etc/ssl/private/parley.example.org.key': key,
      '127.0.0.1:7420': `127.0.0.1:${server}`,
    });
    writeFileSync(join(folder, 'parley.conf'), change(site));
    const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((kind) => {
      mkdirSync(join(folder, kind), { recursive: true });
      return `${kind}_temp_path ${folder}/${kind};`;
    });
    const user = process.getuid?.() === 0 ? 'user root;' : '';
    const main = `${user} daemon off; worker_processes 1; pid ${folder}/pid; error_log stderr notice; events {}
      http { access_log off; ${temporary.join(' ')} include ${folder}/parley.conf; }`;
    writeFileSync(join(folder, 'nginx.conf'), main);
    return WebProxy.#start([program, '-p', folder, '-e', 'stderr', '-c', join(folder, 'nginx.conf')], places);
  }

  /** Starts Caddy with a certificate of the test: it would otherwise request one. */
  static async startCaddy(places: Places): Promise<WebProxy> {
    const program = programOf('PARLEY_CADDY');
    const { folder, server, http, https, certificate, key } = places;
    const site = adapt('Caddyfile', {
      'parley.example.org {': `localhost {\n\tbind 127.0.0.1\n\ttls ${certificate} ${key}`,
      '127.0.0.1:7420': `127.0.0.1:${server}`,
    });
    const file = join(folder, 'Caddyfile');
    writeFileSync(file, `{\n\tadmin off\n\thttp_port ${http}\n\thttps_port ${https}\n}\n${site}`);
    return WebProxy.#start([program, 'run', '--config', file, '--adapter', 'caddyfile'], places);
  }

  static async #start(command: readonly string[], { https, folder }: Places): Promise<WebProxy> {
    const proxy = new WebProxy(command, folder);
    for (let tries = 0; tries < 600; tries += 1) {
      if (await isListening(https)) return proxy;
      await sleep(50);
    }
    await proxy.stop();
    throw new Error(`It did not start: ${proxy.log}`);
  }

  async stop(): Promise<void> {
    this.#child.stdin?.end();
    if (this.#child.exitCode === null) await once(this.#child, 'exit');
  }
}

/** @throws Error if scripts/vitest-setup.mjs could not get the program; it has printed why */
function programOf(variable: string): string {
  const program = process.env[variable];
  if (!program) throw new Error(`${variable} is not set: the program could not be installed.`);
  return program;
}

async function isListening(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1');
  const is = await new Promise<boolean>((resolve) => {
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false));
  });
  socket.destroy();
  return is;
}

/** A port at which clients without TLS reach a proxy with it, whose certificate is checked. */
export class TlsTunnel {
  readonly #server = createServer((near) => this.#lead(near));
  readonly #sockets = new Set<Socket>();
  readonly #port: number;
  readonly #ca: string;

  private constructor({ https, certificate }: Places) {
    this.#port = https;
    this.#ca = readFileSync(certificate, 'utf8');
  }

  static async open(places: Places): Promise<TlsTunnel> {
    const tunnel = new TlsTunnel(places);
    tunnel.#server.listen(0, '127.0.0.1');
    await once(tunnel.#server, 'listening');
    return tunnel;
  }

  /** The address for clients, without scheme. */
  get host(): string {
    return `localhost:${(this.#server.address() as AddressInfo).port}`;
  }

  /** Breaks all connections. */
  cut(): void {
    for (const socket of this.#sockets) socket.destroy();
  }

  async close(): Promise<void> {
    this.cut();
    this.#server.close();
    await once(this.#server, 'close');
  }

  #lead(near: Socket): void {
    const far = connectTls({ host: '127.0.0.1', port: this.#port, servername: 'localhost', ca: this.#ca });
    for (const [socket, other] of [
      [near, far],
      [far, near],
    ] as const) {
      this.#sockets.add(socket);
      socket.on('error', () => other.destroy());
      socket.on('close', () => {
        this.#sockets.delete(socket);
        other.destroy();
      });
      socket.pipe(other);
    }
  }
}

import { join } from 'node:path';
import { makeMcpPlugin } from '@parleyhq/plugin-mcp';
import { openSqliteStore, ParleyServer } from '@parleyhq/server';
import { serveCalls } from '../process/child.ts';
import { Turnstile } from '../process/turnstile.ts';
import { makeBenchPlugin } from './plugin.ts';

const [dataDir = '.', asking = '', url = ''] = process.argv.slice(2);
const reports: unknown[] = [];
let onReport = () => {};
const turnstile = new Turnstile();
const bench = makeBenchPlugin(turnstile, (report) => {
  reports.push(report);
  onReport();
});
const server = new ParleyServer({
  store: openSqliteStore(join(dataDir, 'mcp.db'), { durability: 'full' }),
  plugins: [bench, makeMcpPlugin()],
  pluginConfigs: {
    mcp: { mcpServers: { stdio: { command: process.execPath, args: [asking, 'stdio'] }, http: { url } } },
  },
  policies: [{ tool: '*__ask', effect: 'allow' }],
  dataDir,
  framesPerSecond: 1_000_000,
  quotas: { messagesPerHour: 1e9, storedBytesPerHour: 1e12 },
});

const methods = {
  async listen() {
    const port = await server.listen({ port: 0, host: '127.0.0.1' });
    return { port, turnstile: await turnstile.listen() };
  },
  async report() {
    while (reports.length === 0) await new Promise<void>((resolve) => (onReport = resolve));
    return reports.shift();
  },
};

export type McpServerMethods = typeof methods;

serveCalls(methods);

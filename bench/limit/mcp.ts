import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { serveCalls } from '../process/child.ts';
import { clock } from '../process/clock.ts';

const [asking = '', url = ''] = process.argv.slice(2);
const make = {
  stdio: () => new StdioClientTransport({ command: process.execPath, args: [asking, 'stdio'] }),
  http: () => new StreamableHTTPClientTransport(new URL(url)),
};
const clients = new Map<string, Promise<Client>>();
let asked: number[] = [];

async function connect(way: keyof typeof make): Promise<Client> {
  const client = new Client({ name: 'limit', version: '1.0.0' }, { capabilities: { elicitation: {} } });
  client.setRequestHandler('elicitation/create', () => {
    asked.push(clock());
    return { action: 'accept', content: { answer: 'yes' } };
  });
  await client.connect(make[way]());
  return client;
}

const methods = {
  /** Measures the SDK alone: the times at which a client that answers at once was asked. */
  async ask(way: keyof typeof make, count: number): Promise<Float64Array> {
    const client = clients.get(way) ?? connect(way);
    clients.set(way, client);
    asked = [];
    await (await client).callTool({ name: 'ask', arguments: { count } });
    return Float64Array.from(asked);
  },
};

export type McpLimitMethods = typeof methods;

serveCalls(methods);

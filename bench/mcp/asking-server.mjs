// An MCP server with one tool, which asks its client `count` times. Run by Node alone, as such servers are: over `stdio`, or over
// `http`, for which it prints its port.
import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import process from 'node:process';
import { getRequestListener } from '@hono/node-server';
import { Server, WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/server';
import { StdioServerTransport } from '@modelcontextprotocol/server/stdio';

const inputSchema = { type: 'object', properties: { count: { type: 'integer' } }, required: ['count'] };
const requestedSchema = { type: 'object', properties: { answer: { type: 'string' } }, required: ['answer'] };

function makeServer() {
  const server = new Server({ name: 'asking', version: '1.0.0' }, { capabilities: { tools: {} } });
  server.setRequestHandler('tools/list', () => ({ tools: [{ name: 'ask', inputSchema }] }));
  server.setRequestHandler('tools/call', async ({ params }) => {
    for (let asked = 0; asked < params.arguments.count; asked += 1)
      await server.elicitInput({ message: 'Go on?', requestedSchema });
    return { content: [{ type: 'text', text: 'done' }] };
  });
  return server;
}

/** Makes a handler with one session for each client; sessions end with the process. */
function makeHandler() {
  const sessions = new Map();
  return async (request) => {
    const known = sessions.get(request.headers.get('mcp-session-id'));
    if (known) return known.handleRequest(request);
    const transport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: () => randomUUID(),
      onsessioninitialized: (id) => void sessions.set(id, transport),
    });
    await makeServer().connect(transport);
    return transport.handleRequest(request);
  };
}

if (process.argv[2] === 'stdio') await makeServer().connect(new StdioServerTransport());
else {
  const server = createServer(getRequestListener(makeHandler()));
  server.listen(0, '127.0.0.1', () => process.stdout.write(`${server.address().port}\n`));
}

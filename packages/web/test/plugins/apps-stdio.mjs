import process from 'node:process';
import { Server } from '@modelcontextprotocol/server';
import { StdioServerTransport, serveStdio } from '@modelcontextprotocol/server/stdio';
import { chartPage, fetchPage, hostilePage } from './app-pages.mjs';

const mimeType = 'text/html;profile=mcp-app';
const csp = {
  connectDomains: ['https://api.example.org', 'https://*.example.net', "https://x.example.org; script-src 'self'"],
  resourceDomains: ['https://cdn.example.org', 'http://127.0.0.1:1'],
};
/** The pages by name; each has a tool of that name. */
const pages = {
  chart: { text: chartPage(), mimeType },
  fetch: { text: fetchPage, mimeType, _meta: { ui: { csp } } },
  hostile: { text: hostilePage, mimeType },
  silent: { text: '<p>Says nothing.</p>', mimeType },
  markdown: { text: '# No page', mimeType: 'text/markdown' },
};

function makeServer() {
  const server = new Server({ name: 'apps', version: '1.0.0' }, { capabilities: { tools: {}, resources: {} } });
  const inputSchema = { type: 'object' };
  server.setRequestHandler('tools/list', () => ({
    tools: [
      ...Object.keys(pages).map((name) => ({ name, inputSchema, _meta: { ui: { resourceUri: `ui://apps/${name}` } } })),
      { name: 'for_pages', inputSchema, _meta: { ui: { visibility: ['app'] } } },
      { name: 'client', inputSchema, annotations: { readOnlyHint: true } },
    ],
  }));
  server.setRequestHandler('resources/read', ({ params: { uri } }) => ({
    contents: [{ uri, ...pages[uri.slice('ui://apps/'.length)] }],
  }));
  server.setRequestHandler('tools/call', ({ params: { name } }) => ({
    content: [{ type: 'text', text: name === 'client' ? JSON.stringify(server.getClientCapabilities()) : 'done' }],
  }));
  return server;
}

if (process.argv[2] === 'modern') serveStdio(makeServer, { legacy: 'reject' });
else await makeServer().connect(new StdioServerTransport());

import { McpServer } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import * as z from 'zod';

const tickets = ['The printer is on fire'];
const text = (words) => ({ content: [{ type: 'text', text: words }] });

/** The same server speaks both eras of the protocol. */
serveStdio(() => {
  const server = new McpServer({ name: 'tickets', version: '1.0.0' });
  const list = { description: 'List the open tickets.', annotations: { readOnlyHint: true } };
  server.registerTool('list', list, () => text(tickets.join('\n')));
  const open = { description: 'Open a ticket.', inputSchema: z.object({ title: z.string() }) };
  server.registerTool('open', open, ({ title }) =>
    text(`Ticket ${tickets.push(title)} of the ${process.env.TEAM} team`),
  );
  return server;
});

// An MCP server over stdio whose one tool asks who calls it.
import { createInterface } from 'node:readline';

const send = (message) => process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
const requestedSchema = { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] };
let calling;

for await (const line of createInterface({ input: process.stdin })) {
  const { id, method, params, result } = JSON.parse(line);
  if (method === 'initialize') {
    const { protocolVersion } = params;
    send({ id, result: { protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 'docs', version: '1' } } });
  } else if (method === 'tools/list') {
    const tool = { name: 'wipe', description: 'Wipes a path.', inputSchema: { type: 'object', properties: {} } };
    send({ id, result: { tools: [tool] } });
  } else if (method === 'tools/call') {
    calling = id;
    send({ id: 'who', method: 'elicitation/create', params: { message: 'Who?', requestedSchema } });
  } else if (id === 'who') send({ id: calling, result: { content: [{ type: 'text', text: JSON.stringify(result) }] } });
  else if (id !== undefined) send({ id, result: {} });
}

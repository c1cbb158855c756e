import { createInterface } from 'node:readline';

/**
 * A local server of the 2025 era without an SDK. Its response to each method is given as JSON text with `$id` for the id of the
 * request and `$heard` for the methods received so far. The answer to its question becomes the result of the call.
 */
const said = {
  initialize:
    '{"jsonrpc":"2.0","id":$id,"result":{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"odd","version":"1"}}}',
  'tools/list':
    '{"jsonrpc":"2.0","id":$id,"result":{"tools":[{"name":"order","inputSchema":{"type":"object"},"annotations":{"readOnlyHint":true}}]}}',
  'server/discover': '{"jsonrpc":"2.0","id":$id,"error":{"code":-32601,"message":"Method not found"}}',
  ...JSON.parse(process.argv[2]),
};
const heard = [];
let called;

createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, result, error } = JSON.parse(line);
  if (method === 'tools/call') called = id;
  if (method !== undefined) {
    heard.push(method);
    const fill = (text) => text.replace('$id', JSON.stringify(id)).replace('$heard', heard.join());
    for (const each of [said[method] ?? []].flat()) process.stdout.write(`${fill(each)}\n`);
    return;
  }
  const content = [{ type: 'text', text: JSON.stringify(result ?? error) }];
  process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', id: called, result: { content } })}\n`);
});

// An MCP client for the conformance suite: Parley with the suite's server, an agent that calls its tools, and a person who
// approves all.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { openTab } from '@parleyhq/client/process';
import { definePlugin } from '@parleyhq/core';
import mcp from '@parleyhq/plugin-mcp';
import { openSqliteStore, ParleyServer } from '@parleyhq/server';

const url = process.argv.at(-1);
const {
  client_id: clientId,
  client_secret: clientSecret,
  toolCalls,
} = JSON.parse(process.env.MCP_CONFORMANCE_CONTEXT ?? '{}');

const samples = { string: 'text', integer: 1, number: 1.5, boolean: true, array: [], object: {} };

function sampleOf({ properties = {} }) {
  const sample = ({ const: only, enum: [first] = [], default: usual, type }) =>
    only ?? first ?? usual ?? samples[[type].flat()[0]] ?? 'text';
  return Object.fromEntries(Object.entries(properties).map(([name, schema]) => [name, sample(schema)]));
}

/** The tool to which the suite expects the received schema of another tool to be sent. */
const echo = 'suite__json_schema_echo';

/** Calls the tools that the suite names, or else each tool once. */
const caller = {
  name: 'caller',
  async *run({ tools, read, turnId }) {
    const events = await read();
    if (events.some((event) => event.type === 'tool_call' && event.turnId === turnId)) return;
    const offered = tools.filter(({ name }) => name.startsWith('suite__'));
    const wanted = offered.some(({ name }) => name === 'suite__sign_in') ? undefined : toolCalls;
    const argsOf = ({ name, parameters }) =>
      name === echo ? { schema: offered.find((other) => other.name !== echo)?.parameters } : sampleOf(parameters);
    const calls =
      wanted?.map(({ name, arguments: args }) => ({ toolName: `suite__${name}`, args })) ??
      offered.map((tool) => ({ toolName: tool.name, args: argsOf(tool) }));
    for (const call of calls) yield { type: 'tool_call', ...call };
  },
};

/** Does what a browser does on the way to a sign-in and back. */
async function follow(address) {
  const bring = async (at) => {
    const response = await fetch(new URL('/api/return', place.url), {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ query: new URL(at).search.slice(1) }),
    });
    return response.ok ? response.json() : undefined;
  };
  let way = await bring(address);
  for (; way?.goTo === undefined; way = await bring(address)) await new Promise((resolve) => setTimeout(resolve, 50));
  const { headers } = await fetch(way.goTo, { redirect: 'manual' });
  if (headers.get('location')) await bring(headers.get('location'));
}

/** Reads the issuer, because a client secret must be configured with the issuer it is for. */
async function readIssuer() {
  const { origin, pathname } = new URL(url);
  for (const path of [pathname, '']) {
    const response = await fetch(`${origin}/.well-known/oauth-protected-resource${path}`);
    if (response.ok) return (await response.json()).authorization_servers?.[0];
  }
  return undefined;
}

/** URL of the client's document that the suite expects; it is never fetched. */
const clientMetadataUrl = 'https://conformance-test.local/client-metadata.json';
const registered = clientId && { clientId, ...(clientSecret && { clientSecret, issuer: await readIssuer() }) };
const oauth = registered || { clientMetadataUrl };
const dataDir = await mkdtemp(join(tmpdir(), 'parley-test-'));
const server = new ParleyServer({
  dataDir,
  store: openSqliteStore(join(dataDir, 'parley.db')),
  plugins: [mcp, definePlugin({ name: 'caller', tools: [], agents: [caller] })],
  pluginConfigs: { mcp: { mcpServers: { suite: { url, oauth } } } },
});
const place = { url: `http://127.0.0.1:${await server.listen({ port: 0, host: '127.0.0.1' })}` };
const tab = await openTab(place, { agent: 'caller' });

async function answer(prompt) {
  if (prompt.interactionType === 'url') {
    await tab.answer(prompt, { action: 'approve' });
    return follow(prompt.url);
  }
  if (prompt.interactionType !== 'input') return tab.answer(prompt, { action: 'approve' });
  const filled = prompt.inputSchema.fields.filter(({ defaultValue }) => defaultValue !== undefined);
  return tab.submit(prompt, Object.fromEntries(filled.map(({ id, defaultValue }) => [id, defaultValue])));
}

const answering = [];
tab.session.onEvents((events) => {
  for (const { type, payload } of events)
    if (type === 'interaction_request') answering.push(answer(payload).catch((error) => console.error(error)));
});

/** Lets the agent call all tools. @returns whether somebody signed in, which makes other tools available */
async function callAll() {
  const after = await tab.say('go');
  await tab.event('turn_end', undefined, after);
  const results = tab.events('tool_result').filter(({ seq }) => seq > after);
  for (const { payload } of results) console.log(payload.toolName, JSON.stringify(payload.result ?? payload.error));
  return results.some(({ payload }) => payload.toolName === 'suite__sign_in' && payload.error === undefined);
}

if (await callAll()) await callAll();
tab.close();
await server.close();
await rm(dataDir, { recursive: true, force: true });
process.exit();

// node docs/examples/client.mjs <url> <text> [token]: says something, shows what comes, answers what it is asked.
import { randomUUID } from 'node:crypto';
import { createInterface } from 'node:readline/promises';
import { WebSocket } from 'ws';

const [url, text, token] = process.argv.slice(2);
const socket = new WebSocket(url);
const terminal = createInterface({ input: process.stdin, output: process.stdout });
const replies = new Map();
const send = (frame) => socket.send(JSON.stringify(frame));
function request(frame) {
  const requestId = randomUUID();
  send({ ...frame, requestId });
  return new Promise((resolve) => replies.set(requestId, resolve));
}
socket.on('open', () => send({ type: 'hello', protocol: 1, token, interaction: { supported: true, enabled: true } }));
socket.on('message', async (data) => {
  const frame = JSON.parse(data);
  if (frame.type === 'error') console.error(frame.message);
  if (frame.type === 'welcome') await begin();
  if (frame.type === 'reply') replies.get(frame.requestId)(frame);
  for (const event of frame.events ?? [frame.event ?? []].flat()) await show(event);
});
socket.on('close', () => terminal.close());
async function begin() {
  const { id: sessionId } = (await request({ type: 'create_session' })).result.session;
  await request({ type: 'subscribe', sessionId });
  await request({ type: 'user_message', sessionId, messageId: randomUUID(), text });
}
async function show({ sessionId, type, payload }) {
  if (type === 'assistant_done') console.log(payload.text);
  if (type === 'interaction_request') await answer(sessionId, payload);
  if (type === 'turn_end') socket.close();
}
async function answer(sessionId, { toolCallId: callId, interactionId, digest, prompt, title, inputSchema }) {
  console.log(prompt ?? title);
  const given = { sessionId, callId, interactionId, answerId: randomUUID(), digest, action: 'submit' };
  if (inputSchema) given.input = {};
  for (const { id, label } of inputSchema?.fields ?? []) given.input[id] = await terminal.question(`${label ?? id}: `);
  if (!inputSchema) given.action = await terminal.question('approve or deny? ');
  const reply = await request({ type: 'tool_interaction_response', ...given });
  if (!reply.ok) console.error(reply.error.message);
}

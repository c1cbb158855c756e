// node docs/examples/client.mjs <url> <text> [token]: sends a message, prints what the agent says, and asks in the terminal.
import { randomUUID } from 'node:crypto';
import { createInterface } from 'node:readline';
import { WebSocket } from 'ws';

const [url, text, token] = process.argv.slice(2);
if (!url || !text) {
  console.error(
    'Usage: node docs/examples/client.mjs <url> <text> [token], as in ws://127.0.0.1:7420/ws "/call all_fields"',
  );
  process.exit(2);
}
const socket = new WebSocket(url);
const terminal = createInterface({ input: process.stdin, output: process.stdout });
const lines = terminal[Symbol.asyncIterator]();
const replies = new Map();
let asking = Promise.resolve(); // one question at a time
const send = (frame) => socket.send(JSON.stringify(frame));
function fail(message) {
  console.error(message);
  process.exitCode = 1;
  socket.close();
}
async function request(frame) {
  const requestId = randomUUID();
  send({ ...frame, requestId });
  return new Promise((resolve) => replies.set(requestId, resolve));
}
socket.on('open', () => send({ type: 'hello', protocol: 1, token, interaction: { supported: true, enabled: true } }));
socket.on('message', (data) => {
  const frame = JSON.parse(data);
  if (frame.type === 'error') fail(frame.message);
  if (frame.type === 'welcome') begin().catch((error) => fail(error.message));
  if (frame.type === 'reply') replies.get(frame.requestId)(frame);
  for (const event of frame.events ?? [frame.event ?? []].flat()) show(event);
});
socket.on('error', (error) => fail(error.message || `No server at ${url}.`));
socket.on('close', (code) => process.exit(process.exitCode ?? (code > 1005 ? 1 : 0)));
async function begin() {
  const { id: sessionId } = (await request({ type: 'create_session' })).result.session;
  await request({ type: 'subscribe', sessionId });
  await request({ type: 'user_message', sessionId, messageId: randomUUID(), text });
}
function show({ sessionId, type, payload }) {
  if (type === 'assistant_done') console.log(payload.text);
  if (type === 'turn_end') socket.close();
  if (type !== 'interaction_request') return;
  asking = asking.then(() => answer(sessionId, payload)).catch((error) => fail(error.message));
}
async function answer(sessionId, prompt) {
  const { toolCallId: callId, interactionId, digest, title, prompt: question, subject, url: address, risk } = prompt;
  const about = [title, question, subject?.text, address, risk && `Risk: ${risk}`, prompt.error];
  for (const words of about) if (words) console.log(words);
  for (;;) {
    const given = prompt.inputSchema ? await fill(prompt) : await decide();
    const ids = { sessionId, callId, interactionId, answerId: randomUUID(), digest };
    const { ok, error } = await request({ type: 'tool_interaction_response', ...ids, ...given });
    if (ok) return;
    console.error(error.message, error.details?.fieldErrors ?? '');
    if (error.code !== 'invalid' && error.code !== 'retry_later') return; // somebody else answered first, or the prompt is closed
  }
}
async function decide() {
  for (;;) {
    const action = await ask('approve or deny? ');
    if (action === 'approve' || action === 'deny') return { action };
  }
}
async function fill({ inputSchema, fieldErrors = {} }) {
  const input = {};
  for (const field of inputSchema.fields) {
    const { id, label = id, options } = field;
    if (fieldErrors[id]) console.log(fieldErrors[id]);
    const line = await ask(`${label}${options ? ` (${options.map(({ value }) => value).join(', ')})` : ''}: `);
    if (line !== '') input[id] = read(field, line); // an empty field is absent
  }
  return { action: 'submit', input };
}
function read({ type, options = [], other }, line) {
  if (type === 'number' && line.trim() !== '') return Number(line);
  if (type === 'checkbox') return /^(y|yes|true)$/i.test(line);
  const choose = (value) => (other && !options.some((option) => option.value === value) ? { other: value } : value);
  if (type === 'multiselect') return line.split(',').map((value) => choose(value.trim()));
  return choose(line);
}
async function ask(question) {
  terminal.setPrompt(question);
  terminal.prompt();
  const { value, done } = await lines.next();
  if (done) throw new Error('\nNobody is there to answer.');
  return value;
}

import { type Agent, type ChatEvent, definePlugin, wordsOfMessage } from '@parleyhq/core';

let url = 'http://127.0.0.1:11434/v1'; // Ollama; any server with a "chat completions" API works

/** A model on this machine. A run writes one message from the log; Parley executes its calls and asks for the next one. */
const local: Agent = {
  name: 'local',
  description: 'A model on this machine.',
  async *run(turn, signal) {
    const tools = turn.tools.map((tool) => ({ type: 'function', function: tool }));
    const messages = (await turn.read()).reduce(addMessage, []);
    const body = JSON.stringify({ model: turn.model, stream: true, messages, tools });
    const headers = { 'content-type': 'application/json' };
    const response = await fetch(`${url}/chat/completions`, { method: 'POST', headers, body, signal });
    if (!response.ok) throw Object.assign(new Error(await response.text()), { code: 'model_failed' });
    const calls: { name: string; json: string }[] = [];
    for await (const { content, tool_calls = [] } of readDeltas(response)) {
      if (content) yield { type: 'text', text: content };
      for (const { index, function: part } of tool_calls) {
        const { name, json } = calls[index] ?? { name: part.name ?? '', json: '' };
        calls[index] = { name, json: json + part.arguments };
      }
    }
    for (const { name, json } of calls) yield { type: 'tool_call', toolName: name, args: JSON.parse(json || '{}') };
  },
};

function addMessage(messages: Message[], { type, payload }: ChatEvent): Message[] {
  const last = messages.at(-1);
  if (type === 'user_message') return [...messages, { role: 'user', content: wordsOfMessage(payload) }];
  if (type === 'assistant_done') return [...messages, { role: 'assistant', content: payload.text }];
  if (type === 'tool_result') {
    const content = JSON.stringify(payload.error ?? payload.result ?? null);
    return [...messages, { role: 'tool', tool_call_id: payload.toolCallId, content }];
  }
  if (type !== 'tool_call') return messages;
  const made = { name: payload.toolName, arguments: JSON.stringify(payload.args) };
  const call = { id: payload.toolCallId, type: 'function', function: made };
  if (last?.role !== 'assistant') return [...messages, { role: 'assistant', tool_calls: [call] }];
  return [...messages.slice(0, -1), { ...last, tool_calls: [...(last.tool_calls ?? []), call] }];
}

type Message = { role: string; content?: string; tool_call_id?: string; tool_calls?: object[] };

type Delta = {
  content?: string | null;
  tool_calls?: { index: number; function: { name?: string; arguments: string } }[];
};

/** Server-sent events, one line each. */
async function* readDeltas({ body }: Response): AsyncGenerator<Delta> {
  let rest = '';
  for await (const chunk of body?.pipeThrough(new TextDecoderStream()) ?? []) {
    const lines = (rest + chunk).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) if (line.startsWith('data: {')) yield JSON.parse(line.slice(6)).choices[0]?.delta ?? {};
  }
}

export default definePlugin({
  name: 'local',
  tools: [],
  agents: [local],
  setup: ({ config }) => {
    if (typeof config === 'object' && config !== null && 'url' in config) url = String(config.url);
  },
});

import { appendFileSync } from 'node:fs';
import { setTimeout } from 'node:timers/promises';
import { Server, UrlElicitationRequiredError } from '@modelcontextprotocol/server';

const object = (properties = {}) => ({ type: 'object', properties });
const text = (words) => ({ content: [{ type: 'text', text: words }] });

/** A pixel. */
const dot = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

/** The changes that `change` made to the tool in this process. */
let changed = {};
/** The addresses that people have opened. */
const opened = new Set();

const tools = () => [
  {
    name: 'echo',
    description: 'Says it again.',
    inputSchema: object({ text: { type: 'string' } }),
    annotations: { readOnlyHint: true },
  },
  { name: 'write', description: 'Writes it down.', inputSchema: object({ text: { type: 'string' } }), ...changed },
  { name: 'destroy', description: 'Destroys.', inputSchema: object(), annotations: { destructiveHint: true } },
  ...['picture', 'structured', 'fail', 'flood', 'slow', 'environment', 'die', 'calls'].map((name) => ({
    name,
    inputSchema: object(),
    annotations: { readOnlyHint: true },
  })),
  ...['ask', 'open', 'gated', 'sample', 'change'].map((name) => ({
    name,
    inputSchema: object({ params: { type: 'object' }, tool: { type: 'object' } }),
    annotations: { readOnlyHint: true },
  })),
];

/**
 * A server of either era, with a tool for each feature of the protocol.
 * @param {{era?: string, file?: string, hasShelf?: boolean, onList?: () => Promise<void>, withdrawal?: AbortSignal}} options - `file`: where each call that begins is noted; `onList`:
 * awaited between the making of a list and its answer; `withdrawal`: takes the questions of 2025 back
 */
export function makeToy({ era = 'legacy', file, onList, withdrawal, hasShelf = false } = {}) {
  const server = new Server(
    { name: 'toy', version: '1.0.0' },
    { capabilities: { tools: { listChanged: true }, logging: {}, ...(hasShelf && { resources: {}, prompts: {} }) } },
  );
  if (hasShelf) fillShelf(server);
  const handlers = {
    echo: ({ text: words = '' }) => text(words),
    write: ({ text: words = '' }) => text(`wrote ${words}`),
    destroy: () => text('destroyed'),
    picture: () => ({
      content: [
        { type: 'text', text: 'A dot.' },
        { type: 'image', mimeType: 'image/png', data: dot },
      ],
    }),
    structured: () => ({ ...text('{"sum":3}'), structuredContent: { sum: 3 } }),
    fail: () => ({ ...text('the disk is full'), isError: true }),
    flood: () => text('a'.repeat(17_000_000)),
    environment: () => text(JSON.stringify(process.env)),
    die: () => process.exit(1),
    calls: () => text('called'),
    async slow(_, { mcpReq }) {
      const { progressToken } = mcpReq._meta ?? {};
      await mcpReq.notify({
        method: 'notifications/progress',
        params: { progressToken, progress: 1, total: 2, message: 'half' },
      });
      await mcpReq.log('warning', 'it takes its time');
      await setTimeout(100); // clients drop progress that arrives after the result
      return text('done');
    },
    async ask({ params, rounds = 1, timeout = 600_000, questions = 1, dies = false }, { mcpReq }) {
      if (dies) void setTimeout(300).then(() => process.exit(1)); // dies while it waits for the answer
      if (era === 'legacy' && questions > 1) {
        const all = Array.from({ length: questions }, () => server.elicitInput(params, { timeout }));
        return text(JSON.stringify(await Promise.all(all)));
      }
      if (era === 'legacy')
        return text(
          JSON.stringify(await server.elicitInput(params, { timeout, signal: withdrawal }).catch(() => 'went on')),
        );
      const { inputResponses = {} } = mcpReq;
      const state = mcpReq.requestState() ?? '[]';
      const answers = [...JSON.parse(state), ...Object.values(inputResponses)];
      if (answers.length >= rounds) return text(JSON.stringify(rounds === 1 ? answers[0] : answers));
      const asked = Array.from({ length: questions }, (_, index) => [
        index === 0 ? 'it' : `it${index}`,
        { method: 'elicitation/create', params },
      ]);
      const inputRequests = Object.fromEntries(asked);
      return { resultType: 'input_required', inputRequests, requestState: JSON.stringify(answers) };
    },
    open: ({ params }, context) => handlers.ask({ params: { mode: 'url', elicitationId: 'e-1', ...params } }, context),
    gated({ params: { url } }) {
      if (opened.has(url)) return text('inside');
      opened.add(url);
      void setTimeout(200).then(server.createElicitationCompletionNotifier(url)); // stands for the time of a log-in
      throw new UrlElicitationRequiredError([{ mode: 'url', message: 'Log in.', url, elicitationId: url }]);
    },
    async sample(_, { mcpReq }) {
      const params = { messages: [], maxTokens: 1 };
      if (era !== 'legacy')
        return { resultType: 'input_required', inputRequests: { it: { method: 'sampling/createMessage', params } } };
      return text(
        await mcpReq.send({ method: 'sampling/createMessage', params }).then(JSON.stringify, (error) => error.message),
      );
    },
    async change({ tool }) {
      changed = tool;
      await server.sendToolListChanged();
      return text('changed');
    },
  };
  server.setRequestHandler('tools/list', async () => {
    const listed = tools();
    await onList?.();
    return { tools: listed };
  });
  server.setRequestHandler('tools/call', async ({ params: { name, arguments: args = {} } }, context) => {
    if (file) appendFileSync(file, `${name}\n`);
    return handlers[name](args, context);
  });
  return server;
}

/** Resources and prompts, one of them far too large. */
function fillShelf(server) {
  const notes = { uri: 'toy://notes', name: 'notes', mimeType: 'text/plain', description: 'd'.repeat(900) };
  const contents = {
    'toy://notes': { text: 'Buy milk.' },
    'toy://long': { text: 'a'.repeat(300_000) },
    'toy://dot': { blob: 'aGk=' },
    'toy://film': { blob: 'a'.repeat(4_000_004) },
  };
  server.setRequestHandler('resources/list', () => ({ resources: [notes] }));
  server.setRequestHandler('resources/templates/list', () => ({
    resourceTemplates: [{ uriTemplate: 'toy://{name}', name: 'any' }],
  }));
  server.setRequestHandler('resources/read', ({ params: { uri } }) => {
    if (!(uri in contents)) throw new Error(`there is no ${uri}`);
    return { contents: [{ uri, mimeType: 'text/plain', ...contents[uri] }] };
  });
  server.setRequestHandler('prompts/list', () => ({
    prompts: [{ name: 'greet', description: 'Greets.', arguments: [{ name: 'whom', required: true }] }],
  }));
  server.setRequestHandler('prompts/get', ({ params: { arguments: { whom } = {} } }) => ({
    messages: [{ role: 'user', content: { type: 'text', text: `Greet ${whom}.` } }],
  }));
}

import {
  actorSchema,
  type ClientFrame,
  clientFrameSchema,
  refusedReplySchema,
  serverFrameSchema,
  tallySchema,
} from '@parleyhq/core';
import * as z from 'zod';
import * as mini from 'zod/mini';
import { inboxQuery, waitQuery, withdrawQuery } from './calls.ts';
import { hookSchema } from './claude-hooks.ts';
import { fileOperations } from './file-operations.ts';
import { streamQuery } from './frames.ts';
import { shownSchema } from './login-routes.ts';
import { endSchema } from './logins.ts';
import { describeRoutes, type Operation } from './openapi.ts';
import { pushOperations } from './push-operations.ts';
import { returnSchema } from './returns.ts';

/** Returns the schema of a request's body: the members of a frame that are not in its path. */
function bodyOf(type: ClientFrame['type'], others: readonly string[]) {
  const frame = clientFrameSchema._zod.def.options.find(({ shape }) => shape.type._zod.values.has(type as never));
  const members = Object.entries<z.core.$ZodType>({ ...frame?.shape });
  return mini.object(Object.fromEntries(members.filter(([name]) => !['type', 'requestId', ...others].includes(name))));
}

const refusal = z.object({
  error: z.object({ code: z.string(), message: z.string(), details: z.unknown().optional() }),
});
const reply = z.union([serverFrameSchema, refusedReplySchema]);

const place = { toolCallId: z.string(), sessionId: z.string() };
const done = z.object({
  ...{ status: z.literal('done'), ...place },
  result: z.unknown().optional(),
  error: z.object({ code: z.string(), message: z.string() }).optional(),
  delivered: z.literal(false).optional(),
});
const open = z.object({ status: z.literal('open'), ...place, url: z.url() });
const outcome = {
  200: { description: 'The outcome of the call.', schema: done },
  202: { description: 'Nobody has answered within the wait.', schema: open },
};

const login = z.object({
  id: z.string(),
  createdAt: z.string().optional(),
  expiresAt: z.string(),
  provedAt: z.string().optional(),
  userAgent: z.string().optional(),
  address: z.string().optional(),
  isCurrent: z.literal(true).optional(),
});
const [welcome] = serverFrameSchema._zod.def.options;
const interactions = mini.object({ open: welcome.shape.open, openTotal: mini.int() });

const nothing = { 204: { description: 'Done.' } };
const page = { 200: { description: 'A file of the page.', type: 'text/html', schema: z.string() } };
const ofPage: Omit<Operation, 'summary'> = { group: 'Page', isOpen: true, responses: page };
const jsonRpc = z.looseObject({ jsonrpc: z.literal('2.0') });
const ofMcp = (summary: string): Operation => ({
  ...{ summary, group: 'Programs outside' },
  responses: { 405: { description: 'The server keeps no sessions of MCP.', schema: jsonRpc } },
});

/** Every route, by method and path as the router has them. */
const operations: Readonly<Record<string, Operation>> = {
  'GET /api/stream': {
    summary:
      'Opens a connection: the frames of the server as server-sent events. The close code of a refusal is 4000 + its status.',
    group: 'Frames',
    query: streamQuery,
    headers: z.object({ 'Last-Event-ID': z.string().optional() }),
    responses: { 200: { description: 'Each event is a ServerFrame.', type: 'text/event-stream', schema: z.string() } },
  },
  'POST /api/frames': {
    summary: 'Sends frames over a connection that the same token or log-in opened.',
    group: 'Frames',
    headers: z.object({ 'Parley-Connection': z.string() }),
    body: z.union([clientFrameSchema, z.array(clientFrameSchema)] as never),
    example: { type: 'list_sessions', requestId: 'r-1', limit: 20 },
    responses: {
      200: {
        description: 'The replies. `Parley-Sent` is the number of frames sent over the stream so far.',
        schema: z.union([reply, z.array(reply)] as never),
        example: { type: 'reply', requestId: 'r-1', ok: true, result: { sessions: [] } },
      },
      204: { description: 'One frame that has no reply.' },
    },
  },
  'POST /api/calls': {
    summary: 'Calls a tool: the same callId is the same call.',
    group: 'Programs outside',
    query: waitQuery,
    body: mini.extend(bodyOf('call_tool', ['callId', 'sessionId', 'args']), {
      callId: mini.optional(mini.string().check(mini.minLength(1), mini.maxLength(128))),
      sessionId: mini.optional(mini.string()),
      args: mini.optional(mini.unknown()),
    }),
    example: { channel: 'nightly', callId: 'deploy-417', toolName: 'ask_human', args: { question: 'Deploy?' } },
    responses: {
      200: {
        ...outcome[200],
        example: { status: 'done', toolCallId: 't-9', sessionId: 's-2', result: { ok: true, answer: 'Yes' } },
      },
      202: outcome[202],
    },
  },
  'GET /api/calls/:toolCallId': {
    summary: 'Waits for a call.',
    group: 'Programs outside',
    query: waitQuery,
    responses: outcome,
  },
  'DELETE /api/calls/:toolCallId': {
    summary: 'Withdraws a call that nobody has answered.',
    group: 'Programs outside',
    query: withdrawQuery,
    responses: {
      200: {
        description: 'Whether it was withdrawn; if not, who had decided it, and when.',
        schema: mini.object({
          withdrawn: mini.boolean(),
          by: mini.optional(actorSchema),
          at: mini.optional(mini.string()),
        }),
        example: { withdrawn: true },
      },
    },
  },
  'POST /callbacks/:token': {
    summary: 'Ends the wait of a tool that handed out this address, once.',
    group: 'Programs outside',
    isOpen: true,
    body: z.unknown(),
    example: { paid: true },
    responses: {
      200: { description: 'The value is stored.', schema: z.object({ ok: z.literal(true) }), example: { ok: true } },
      400: { description: 'The tool waits for something else, and keeps waiting.', schema: refusal },
      404: { description: 'No such callback was ever handed out.', schema: refusal },
      410: { description: 'The callback was called before, its call has ended, or it has expired.', schema: refusal },
    },
  },
  'POST /api/return': {
    summary:
      'Ends the wait of a tool that sent a person to another site, once: what the browser brought back in its address.',
    group: 'People',
    body: returnSchema,
    example: { query: 'code=4f1c&state=eyJmb3IiOiJyZXR1cm4ifQ.c2VhbA' },
    responses: {
      200: {
        description:
          'The return is stored; with `goTo`, nothing was brought, and the browser of whoever agreed should go there.',
        schema: z.object({ ok: z.literal(true), goTo: z.url().optional() }),
        example: { ok: true },
      },
      403: {
        description: 'Somebody else agreed to go there, or the browser does not come from there.',
        schema: refusal,
      },
      404: { description: 'No tool sent anybody to another site with this `state`.', schema: refusal },
      409: {
        description: 'The browser returned before, the call has ended, or the wait has expired.',
        schema: refusal,
      },
      503: { description: 'Nobody has agreed yet: try again soon.', schema: refusal },
    },
  },
  'GET /api/interactions': {
    summary: 'The inbox: what a person may answer, the newest hundred.',
    group: 'Answers',
    query: inboxQuery,
    responses: { 200: { description: 'Oldest first.', schema: interactions, example: { open: [], openTotal: 0 } } },
  },
  'POST /api/sessions/:sessionId/interactions/:interactionId/response': {
    summary: 'Answers a prompt. The first answer wins.',
    group: 'Answers',
    body: bodyOf('tool_interaction_response', ['sessionId', 'callId', 'interactionId']),
    example: { action: 'submit', input: { answer: 'Yes' }, answerId: 'a-1' },
    responses: {
      200: {
        description:
          'The answer is stored, now or before. With `vote` and `votes` it is one vote of several and decides nothing yet.',
        schema: mini.object({
          ok: mini.literal(true),
          seq: mini.int(),
          vote: mini.optional(mini.literal(true)),
          votes: mini.optional(tallySchema),
        }),
        example: { ok: true, seq: 7 },
      },
      409: { description: 'Somebody was first, or the prompt is closed: `details` says which.', schema: refusal },
    },
  },
  'POST /hooks/claude': {
    summary: 'A hook of Claude Code.',
    group: 'Programs outside',
    body: hookSchema,
    example: { hook_event_name: 'Stop', session_id: 'c-1' },
    responses: { 200: { description: 'In the format of Claude Code.', schema: z.looseObject({}), example: {} } },
  },
  'POST /mcp': {
    summary: 'A message of MCP, over Streamable HTTP.',
    group: 'Programs outside',
    body: jsonRpc,
    example: { jsonrpc: '2.0', id: 1, method: 'tools/list' },
    responses: {
      200: { description: 'The response, and progress before it.', type: 'text/event-stream', schema: z.string() },
      202: { description: 'A notification was accepted.' },
      400: { description: 'In the format of MCP, if the message could be read.', schema: z.union([jsonRpc, refusal]) },
      406: { description: 'The client does not accept both JSON and events.', schema: jsonRpc },
    },
  },
  'GET /mcp': ofMcp('Streams of MCP.'),
  'DELETE /mcp': ofMcp('Ends a session of MCP.'),
  'POST /api/login': {
    summary: 'Exchanges a token, or the one-time code of the printed address, for a cookie.',
    ...{ group: 'Log-ins', isOpen: true, body: shownSchema, example: { code: 'as printed' }, responses: nothing },
  },
  'POST /api/login/again': {
    summary: 'Presents the token of this log-in again, for the riskiest actions.',
    ...{ group: 'Log-ins', body: shownSchema, example: { token: 'parley_…' }, responses: nothing },
  },
  'POST /api/logout': {
    summary: 'Ends the log-in of the cookie.',
    ...{ group: 'Log-ins', isOpen: true, responses: nothing },
  },
  'GET /api/logins': {
    summary: 'The log-ins that were made with one’s own token.',
    group: 'Log-ins',
    responses: {
      200: { description: 'Oldest first.', schema: z.object({ logins: z.array(login) }), example: { logins: [] } },
    },
  },
  'POST /api/logins/end': {
    summary: 'Ends one of these, or all but the current one.',
    ...{ group: 'Log-ins', body: endSchema, example: { others: true }, responses: nothing },
  },
  ...fileOperations,
  ...pushOperations,
  'GET /healthz': {
    summary: 'Whether the process answers.',
    ...{ group: 'Server', isOpen: true },
    responses: { 200: { description: 'It does.', schema: z.object({ ok: z.literal(true) }), example: { ok: true } } },
  },
  'GET /readyz': {
    summary: 'Whether something can be stored.',
    ...{ group: 'Server', isOpen: true },
    responses: Object.fromEntries(
      [200, 503].map((status) => [
        status,
        {
          description: status === 200 ? 'Yes.' : 'No, and why.',
          schema: z.object({ ready: z.literal(status === 200), code: z.string().optional() }),
        },
      ]),
    ),
  },
  'GET /metrics': {
    summary: 'Counts and times, for Prometheus.',
    group: 'Server',
    responses: { 200: { description: 'In its text format.', type: 'text/plain', schema: z.string() } },
  },
  'GET /api/identity': {
    summary: 'Proves to a program of the same data directory which server this is.',
    ...{ group: 'Server', isOpen: true, query: z.object({ nonce: z.string() }) },
    responses: { 200: { description: 'The proof.', schema: z.object({ proof: z.string() }) } },
  },
  'GET /api/openapi.json': {
    summary: 'This description.',
    ...{ group: 'Server', isOpen: true },
    responses: { 200: { description: 'OpenAPI 3.1.', schema: z.looseObject({ openapi: z.string() }) } },
  },
  'GET /': { summary: 'The page.', ...ofPage },
  'GET /s/*': { summary: 'The page, with a session.', ...ofPage },
  'GET /inbox': { summary: 'The page, with everything that needs you.', ...ofPage },
  'GET /return': { summary: 'The page that a browser returns to from a site that a tool sent it to.', ...ofPage },
  'GET /once': { summary: 'The page, with the one prompt that a one-time link opens.', ...ofPage },
  'GET /views/:plugin/:name': { summary: 'The page of a plugin’s view.', ...ofPage },
  'GET /assets/*': { summary: 'What the page loads.', ...ofPage },
  'GET /*': { summary: 'Its icons.', ...ofPage },
};

/** Returns the description of the routes that a server has, as JSON. `routes` are methods and paths. */
export function describeApi(version: string, routes: readonly string[]): string {
  const present = Object.entries(operations).filter(([route]) => routes.includes(route));
  const schemas = { ClientFrame: clientFrameSchema, ServerFrame: serverFrameSchema, Refusal: refusal };
  return JSON.stringify(describeRoutes({ version, operations: Object.fromEntries(present), schemas, refusal }));
}

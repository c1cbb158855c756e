import { actorSchema, callCommentSchema, RefusalError, serverFrameSchema, storable } from '@parleyhq/core';
import { abortAfter, newId } from '@parleyhq/runtime';
import type { Context, Hono } from 'hono';
import * as z from 'zod';
import * as mini from 'zod/mini';
import type { Inbox } from '../extensions/inbox/inbox.ts';
import type { NotificationService } from '../extensions/notifications/notification-service.ts';
import type { CallingClient, ProgramCall } from '../extensions/programs/call-request.ts';
import { type Programs, runForCaller } from '../extensions/programs/run-for-caller.ts';
import { type Entry, enter, parse, parseFrame, readBody } from './frame-request.ts';
import { bodyOf, describe, json, text } from './operation.ts';
import { type OriginPolicy, originOf } from './origin.ts';
import type { Env } from './request.ts';
import { sendFile } from './send-file.ts';

export interface CallRoutes extends Entry {
  readonly inbox: Inbox;
  readonly notifications: NotificationService;
  readonly origins: () => OriginPolicy;
  readonly programs: Programs;
}

const group = 'Programs outside';

/** Maximum wait of one request, in s. */
const maxWaitSeconds = 60;

const waitQuery = z.object({ wait: z.coerce.number().min(0).max(maxWaitSeconds).default(0) });

const callPath = z.object({ toolCallId: z.string().check(storable) });

const withdrawQuery = z.object({ note: z.string().optional() });

const replyBody = z.strictObject({
  replyTo: z.string().describe('The `commentId` of the comment.'),
  text: z.string(),
  commentId: z.string().optional().describe('Id of the reply: repeated, it is the same reply.'),
});

const inboxQuery = z.object({ before: z.string().optional(), limit: z.coerce.number().optional() });

const place = { toolCallId: z.string(), sessionId: z.string() };
const doneSchema = z.object({
  ...{ status: z.literal('done'), ...place },
  result: z.unknown().optional(),
  error: z.object({ code: z.string(), message: z.string() }).optional(),
  delivered: z.literal(false).optional(),
  files: z.array(z.looseObject({ fileId: z.string(), url: z.string() })).optional(),
});
const openSchema = z.object({
  ...{ status: z.literal('open'), ...place, url: z.url() },
  comments: z.array(callCommentSchema as never).optional(),
});
const outcome = {
  200: json('The outcome of the call.', doneSchema),
  202: json('Nobody has answered within the wait.', openSchema),
};

/** Serves calls and questions of external programs over plain HTTP (ASK8). */
export function serveCalls(app: Hono<Env>, routes: CallRoutes): void {
  const { inbox, programs, notifications, origins } = routes;

  /**
   * Replies with the outcome of a call, if there is one within the time that the request waits. Until then the request counts as
   * a connection, and ends with its token (SEC9, SEC11).
   */
  const tell = (context: Context<Env>, client: CallingClient, find: () => Promise<ProgramCall>): Promise<Response> => {
    const waitMs = readWait(context) * 1000; // an invalid wait is refused before anything begins
    return programs.requests.hold(client, context.req.raw.signal, async (gone) => {
      const call = await find();
      const outcome = await abortAfter(waitMs, [gone], (until) =>
        runForCaller(programs, client, call, { until, hearsComments: true }),
      );
      const { sessionId, toolCallId } = call;
      if (outcome) return context.json({ status: 'done', ...outcome, toolCallId, sessionId });
      const base = notifications.publicUrl ?? originOf(origins(), context.req.header('host') ?? '');
      const url = new URL(`/s/${sessionId}`, base).href;
      const comments = await programs.comments.read(call, client.principal);
      const said = comments.length > 0 && { comments };
      return context.json({ status: 'open', toolCallId, sessionId, url, ...said }, 202);
    });
  };

  const aboutCall = describe({
    ...{ group, summary: 'Calls a tool: the same callId is the same call.', query: waitQuery },
    body: mini.extend(bodyOf('call_tool', ['callId', 'sessionId', 'args']), {
      callId: mini.optional(mini.string().check(mini.minLength(1), mini.maxLength(128))),
      sessionId: mini.optional(mini.string()),
      args: mini.optional(mini.unknown()),
    }),
    example: { channel: 'nightly', callId: 'deploy-417', toolName: 'ask_human', args: { question: 'Deploy?' } },
    responses: {
      ...outcome,
      200: {
        ...outcome[200],
        example: { status: 'done', toolCallId: 't-9', sessionId: 's-2', result: { ok: true, answer: 'Yes' } },
      },
    },
  });
  app.post('/api/calls', aboutCall, async (context) => {
    const client = await enter(context, routes);
    return tell(context, client, async () => {
      const members = { args: {}, callId: newId(), ...(await readBody(context)) };
      const frame = parseFrame('call_tool', members);
      if (programs.calls.endsWithRequest(frame.toolName) && readWait(context) === 0) throw unawaited(frame.toolName);
      return programs.calls.begin(client, frame);
    });
  });

  const aboutWait = describe({ group, summary: 'Waits for a call.', query: waitQuery, responses: outcome });
  app.get('/api/calls/:toolCallId', aboutWait, async (context) => {
    const client = await enter(context, routes);
    return tell(context, client, () => programs.calls.findLasting(client.principal, readPath(context)));
  });

  const aboutWithdrawal = describe({
    ...{ group, summary: 'Withdraws a call that nobody has answered.', query: withdrawQuery },
    responses: {
      200: json(
        'Whether it was withdrawn; if not, who had decided it, and when.',
        z.object({ withdrawn: z.boolean(), by: z.optional(actorSchema), at: z.string().optional() }),
        { withdrawn: true },
      ),
    },
  });
  app.delete('/api/calls/:toolCallId', aboutWithdrawal, async (context) => {
    const client = await enter(context, routes);
    const { sessionId, toolCallId } = await programs.calls.find(client.principal, readPath(context));
    const frame = parseFrame('withdraw_call', { ...parse(withdrawQuery, context.req.query()), sessionId, toolCallId });
    return context.json(await programs.calls.withdraw(client, frame));
  });

  const aboutReply = describe({
    ...{ group, summary: 'Replies to a comment on a question of a call.' },
    body: replyBody,
    example: { replyTo: 'k-1', text: 'The release is due on Friday.' },
    responses: { 200: json('Position of the reply in the session.', z.object({ seq: z.int() }), { seq: 12 }) },
  });
  app.post('/api/calls/:toolCallId/comments', aboutReply, async (context) => {
    const client = await enter(context, routes);
    const call = await programs.calls.find(client.principal, readPath(context));
    const reply = parse(replyBody, { commentId: newId(), ...(await readBody(context)) });
    const { sessionId } = call;
    // checked like the frame: the prompt is found by the comment
    const frame = parseFrame('reply_comment', { ...reply, interactionId: reply.replyTo, sessionId });
    return context.json(await programs.calls.replyIn(client, call, frame));
  });

  const aboutFile = describe({
    ...{ group, summary: 'A file that was attached to an answer, at the address that the result gives.' },
    responses: { 200: text('Its bytes.', 'application/octet-stream') },
  });
  app.get('/api/calls/:toolCallId/files/:ticket', aboutFile, async (context) => {
    const { principal } = await enter(context, routes);
    const call = await programs.calls.find(principal, readPath(context));
    const { end } = await programs.calls.readLife(call);
    const file = programs.files.find(call, end, context.req.param('ticket'));
    return sendFile(context, file, (file) => programs.files.read(call, file));
  });

  const [welcome] = serverFrameSchema._zod.def.options;
  const inboxSchema = mini.object({ open: welcome.shape.open, openTotal: mini.int() });
  const aboutInbox = describe({
    ...{ group: 'Answers', summary: 'The inbox: what a person may answer, the newest hundred.', query: inboxQuery },
    responses: { 200: json('Oldest first.', inboxSchema, { open: [], openTotal: 0 }) },
  });
  app.get('/api/interactions', aboutInbox, async (context) => {
    const { principal } = await enter(context, routes, { as: 'person' });
    if (principal.role === 'asker') throw new RefusalError('forbidden');
    const page = parseFrame('list_open', parse(inboxQuery, context.req.query()));
    const makePage = await inbox.preparePage(principal, page);
    return context.json({ open: makePage(), openTotal: inbox.count(principal) });
  });
}

/** Reads the call id in the path. @throws RefusalError `bad_frame` */
function readPath(context: Context<Env>): string {
  return parse(callPath, context.req.param()).toolCallId;
}

/** Returns the wait in seconds. @throws RefusalError `bad_frame` */
function readWait(context: Context<Env>): number {
  return parse(waitQuery, context.req.query()).wait;
}

/** The refusal of a call whose answer nobody would receive (ASK4). */
function unawaited(toolName: string): RefusalError {
  const message = `A call of "${toolName}" ends with the request that waits for it: give a time, in seconds, with ?wait=1 to ?wait=${maxWaitSeconds}.`;
  return new RefusalError('invalid', { message });
}

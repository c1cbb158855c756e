import { createHash } from 'node:crypto';
import { type CallerContext, type Door, type DoorCall, describeFolder, isRecord, type Json } from '@parleyhq/core';
import * as z from 'zod';
import { doorPath, maxBytes } from './door-path.ts';
import { acpPermission, acpQuestion } from './tools.ts';

const members = z.record(z.string(), z.unknown());
const place = {
  agent: z.string().min(1).max(100),
  session: z.string().max(1000),
  cwd: z.string().max(4000).optional(),
};
const id = z.string().min(1).max(100);

const bodySchema = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('hello') }),
  z.object({ kind: z.literal('permission'), id, ...place, call: members.optional(), params: members }),
  z.object({ kind: z.literal('elicitation'), id, ...place, params: members }),
  z.object({ kind: z.literal('withdraw'), id, note: z.string().min(1).max(200) }),
  z.object({ kind: z.literal('news'), ...place, text: z.string().min(1).max(60_000) }),
]);

type Body = z.infer<typeof bodySchema>;
type Asking = Body & { readonly kind: 'permission' | 'elicitation' };

/**
 * Makes the door for `parley acp`: the questions of agents in editors become calls that live as long as the proxy waits (ACP2). It
 * answers `{ result }` if a person has decided, and `{}` if people will not.
 */
export function makeEditorDoor(): Door {
  const open = new Map<string, AbortController>();
  return {
    method: 'POST',
    path: doorPath,
    access: 'program',
    maxBytes,
    timeoutMs: null,
    async handle(_request, context) {
      const { data: body, error } = bodySchema.safeParse(context.json());
      if (!body) throw context.refuse('invalid', z.prettifyError(error));
      return Response.json(await reply(body, context, open));
    },
  };
}

async function reply(body: Body, context: CallerContext, open: Map<string, AbortController>): Promise<object> {
  switch (body.kind) {
    case 'hello':
      return {};
    case 'news':
      await context.call({ ...placeOf(body), toolName: 'tell_human', args: { text: body.text } });
      return {};
    case 'withdraw':
      open.get(nameOf(context, body.id))?.abort(body.note);
      return {};
    case 'permission':
    case 'elicitation':
      return ask(body, context, open);
    default:
      return body satisfies never;
  }
}

async function ask(body: Asking, context: CallerContext, open: Map<string, AbortController>): Promise<object> {
  const name = nameOf(context, body.id);
  const withdrawn = new AbortController();
  open.set(name, withdrawn);
  try {
    const outcome = await context.call({ ...placeOf(body), ...toCall(body), signal: withdrawn.signal });
    if (!outcome && context.signal.aborted) throw context.refuse('retry_later'); // the next server is asked again
    return isRecord(outcome?.result) ? { result: outcome.result } : {};
  } finally {
    if (open.get(name) === withdrawn) open.delete(name); // otherwise it was asked again
  }
}

function toCall(body: Asking): Pick<DoorCall, 'toolName' | 'args'> {
  const { agent, params } = body;
  if (body.kind === 'elicitation') return { toolName: acpQuestion.name, args: { agent, params } as Json };
  const options = Array.isArray(params.options) ? params.options : [];
  return { toolName: acpPermission.name, args: { agent, call: body.call ?? {}, options } as Json };
}

/** One session here for each session of the agent. */
function placeOf({ agent, session, cwd = '' }: Pick<Asking, 'agent' | 'session' | 'cwd'>) {
  const isName = /^[\w.:-]{1,60}$/.test(session);
  const name = isName ? session : createHash('sha256').update(session).digest('hex').slice(0, 40);
  return { channel: `acp:${name}`, ...describeFolder(agent, cwd) };
}

/** A question belongs to whoever asks it. */
function nameOf({ caller }: CallerContext, question: string): string {
  return JSON.stringify([caller.id, question]);
}

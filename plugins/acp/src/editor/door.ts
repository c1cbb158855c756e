import { type CallerContext, type Door, type DoorCall, describeFolder, type Json } from '@parleyhq/core';
import { nameChannel, OpenQuestions, requireAsking } from '@parleyhq/door-kit';
import * as z from 'zod';
import { door } from './door-path.ts';
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
  const open = new OpenQuestions();
  return {
    ...door,
    method: 'POST',
    access: 'program',
    timeoutMs: null,
    async handle(_request, context) {
      const { data: body, error } = bodySchema.safeParse(context.json());
      if (!body) throw context.refuse('invalid', z.prettifyError(error));
      return Response.json(await reply(body, context, open));
    },
  };
}

async function reply(body: Body, context: CallerContext, open: OpenQuestions): Promise<object> {
  switch (body.kind) {
    case 'hello':
      requireAsking(context);
      return {};
    case 'news':
      await context.call({ ...placeOf(body), toolName: 'tell_human', args: { text: body.text } });
      return {};
    case 'withdraw':
      await open.withdraw(context, body.id, body.note);
      return {};
    case 'permission':
    case 'elicitation':
      return open.ask(context, body.id, { ...placeOf(body), ...toCall(body) });
    default:
      return body satisfies never;
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
  return { channel: nameChannel('acp', session), ...describeFolder(agent, cwd) };
}

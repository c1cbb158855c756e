import { type CallerContext, type Door, type DoorCall, describeFolder, type Json } from '@parleyhq/core';
import { nameChannel, OpenQuestions, requireAsking } from '@parleyhq/door-kit';
import * as z from 'zod';
import { cardSchema } from './card.ts';
import { door } from './door-path.ts';
import { userQuestionsSchema } from './question.ts';
import { codexApproval, codexElicitation, codexQuestions } from './tools.ts';

const asked = {
  id: z.string().min(1).max(100),
  thread: z.string().min(1).max(1000),
  cwd: z.string().max(4000).optional(),
};

const bodySchema = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('hello') }),
  z.object({ kind: z.literal('withdraw'), id: asked.id, note: z.string().min(1).max(200) }),
  z.object({ kind: z.literal('approval'), ...asked, card: cardSchema }),
  z.object({ kind: z.literal('questions'), ...asked, questions: userQuestionsSchema }),
  z.object({ kind: z.literal('elicitation'), ...asked, params: z.record(z.string(), z.unknown()) }),
]);

type Body = z.infer<typeof bodySchema>;
type Asking = Extract<Body, { readonly thread: string }>;

/**
 * Makes the door for `parley connect codex --live`: what Codex asks becomes a call that lives as long as the attachment waits
 * (ACP5). It answers `{ result }` if people have decided, and `{}` if they will not.
 */
export function makeLiveDoor(): Door {
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
    case 'withdraw':
      await open.withdraw(context, body.id, body.note);
      return {};
    case 'approval':
    case 'questions':
    case 'elicitation':
      return open.ask(context, body.id, { ...placeOf(body), ...toCall(body) });
    default:
      return body satisfies never;
  }
}

function toCall(body: Asking): Pick<DoorCall, 'toolName' | 'args'> {
  switch (body.kind) {
    case 'approval':
      return { toolName: codexApproval.name, args: body.card as unknown as Json };
    case 'questions':
      return { toolName: codexQuestions.name, args: { questions: body.questions } as unknown as Json };
    case 'elicitation':
      return { toolName: codexElicitation.name, args: { params: body.params } as Json };
    default:
      return body satisfies never;
  }
}

/** One session here for each of Codex. */
function placeOf({ thread, cwd = '' }: Asking) {
  return { channel: nameChannel('codex', thread), ...describeFolder('Codex', cwd) };
}

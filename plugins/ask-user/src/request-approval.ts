import { audienceSchema, defineTool, type GrantKey, type Json, quorumSchema, subjectSchema } from '@parleyhq/core';
import * as z from 'zod';
import { answeredBy, asking, comments, hearComments, risk, shownText, timeoutSeconds, waitFor } from './asking.ts';

const parameters = z
  .strictObject({
    title: shownText,
    subject: z
      .strictObject({ ...subjectSchema.shape, text: shownText })
      .describe('Exactly what should be approved, with everything that matters.'),
    prompt: shownText.optional().describe('Why, or what follows from it.'),
    risk: risk.optional(),
    scopes: z
      .array(z.enum(['once', 'session', 'always']))
      .min(1)
      .optional()
      .describe(
        'How long a yes may count: "once" is the default; "session" answers the same request for a day; "always" does until somebody revokes it, and only operators give it.',
      ),
    args: z.unknown().optional().describe('JSON that comes back with the yes.'),
    editable: z.boolean().optional().describe('The person may change "args".'),
    timeoutSeconds: timeoutSeconds.optional(),
    audience: z.strictObject(audienceSchema.shape).optional().describe('Who may answer.'),
    decide: z
      .strictObject(quorumSchema.shape)
      .optional()
      .describe('How many people must approve, and how many may deny before it is denied (1).'),
    reasonRequired: z
      .array(z.enum(['approve', 'deny', 'cancel']))
      .min(1)
      .optional()
      .describe('The answers that must say why.'),
    comments: comments.optional(),
  })
  .superRefine(({ args, editable }, { addIssue }) => {
    if (!editable || args !== undefined) return;
    addIssue({ code: 'custom', path: ['editable'], message: 'names what of "args" may be edited: give "args", too' });
  });

type Request = z.infer<typeof parameters>;

/** The key of a lasting approval: all that was shown and the arguments, so that it covers identical requests only. */
function toKey({ title, subject, prompt, risk, args }: Request): GrantKey {
  const { kind, text } = subject;
  const shown = { subject: { kind, text }, ...(prompt !== undefined && { prompt }), ...(risk && { risk }) };
  return [title, { ...shown, ...(args !== undefined && { args: args as Json }) }];
}

export const requestApproval = defineTool({
  name: 'request_approval',
  description: 'Ask a person to approve something before you do it, and wait for the yes or no.',
  parameters,
  ...asking,
  async handler(request, ctx) {
    const {
      title,
      subject,
      prompt,
      risk,
      scopes = ['once'],
      args,
      editable,
      timeoutSeconds,
      reasonRequired,
      audience,
      decide,
    } = request;
    const approval = await ctx.approve<Request>({
      key: toKey,
      title,
      subject,
      prompt,
      risk,
      scopes,
      reasonRequired,
      audience,
      decide,
      ...(editable && { editable, editPath: ['args'] }),
      ...waitFor(timeoutSeconds),
      ...hearComments(request.comments),
    });
    const { approved, reason, annotations } = approval;
    const said = { ...(reason !== undefined && { reason }), ...(annotations && { annotations }) };
    const answered = { ...said, ...answeredBy(approval) };
    if (!approved) return { approved, ...(approval.code === 'timeout' && { error: 'timeout' }), ...answered };
    return { approved, scope: approval.scope, ...(args !== undefined && { args: approval.args.args }), ...answered };
  },
});

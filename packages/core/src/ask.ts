import * as z from 'zod/mini';
import type { InteractionAnswer } from './answer.ts';
import type { Awaitable } from './awaitable.ts';
import type { InteractionDemand, Outcome } from './demand.ts';
import { ToolError } from './error.ts';
import type { FieldErrors } from './field-check.ts';
import { formFromSchema } from './form-from-schema.ts';
import { isRecord, type Json, type JsonSchema } from './json.ts';

/** Options of `ctx.ask`. */
export interface AskOptions<T> {
  readonly title?: string;
  readonly prompt?: string;
  readonly timeoutMs?: number | null;
  readonly presentation?: InteractionDemand['presentation'];
  readonly audience?: InteractionDemand['audience'];
  readonly visibility?: InteractionDemand['visibility'];
  readonly escalate?: InteractionDemand['escalate'];
  readonly initialValues?: { readonly [id: string]: Json };
  /** Returns what is wrong, as one sentence or one per field; undefined if the values are fine. */
  readonly validate?: (values: T) => Awaitable<string | FieldErrors | undefined>;
}

export type RequestInteraction = (demand: InteractionDemand) => Promise<unknown>;

/**
 * `ctx.ask`: shows a form made from a zod object and asks again until the values are valid.
 * @throws ToolError `cancelled` or `timeout`
 */
export async function askForm<S extends z.core.$ZodType>(
  request: RequestInteraction,
  key: string,
  schema: S,
  options: AskOptions<z.output<S>> = {},
): Promise<z.output<S>> {
  const { validate, ...shown } = options;
  const inputSchema = formFromSchema(z.toJSONSchema(schema, { io: 'input' }) as JsonSchema);
  const result = await request({
    type: 'input',
    key,
    ...shown,
    inputSchema,
    onResponse: (answer) => judge(schema, validate, answer),
  });
  if (isRecord(result) && 'input' in result) return z.parseAsync(schema, result.input); // parsed again, for a recorded outcome is plain JSON
  const isTimeout = isRecord(result) && result.error === 'timeout';
  throw isTimeout
    ? new ToolError('timeout', 'Nobody answered in time.')
    : new ToolError('cancelled', 'A person cancelled this.');
}

async function judge<S extends z.core.$ZodType>(
  schema: S,
  validate: AskOptions<z.output<S>>['validate'],
  { action, input = {} }: InteractionAnswer,
): Promise<Outcome> {
  if (action !== 'submit') return { complete: { cancelled: true } };
  const parsed = await z.safeParseAsync(schema, input);
  if (!parsed.success)
    return { reprompt: { error: 'Some values do not fit.', fieldErrors: toFieldErrors(parsed.error) } };
  const fault = await validate?.(parsed.data);
  if (fault === undefined) return { complete: { input } };
  return {
    reprompt:
      typeof fault === 'string' ? { error: fault } : { error: 'Some values do not fit.', fieldErrors: { ...fault } },
  };
}

function toFieldErrors(error: z.core.$ZodError): Record<string, string> {
  return Object.fromEntries(error.issues.toReversed().map(({ path, message }) => [String(path[0] ?? ''), message]));
}

/** `ctx.confirm`: true only for consent; a denial, a cancel and a timeout are all false. */
export async function confirm(request: RequestInteraction, key: string, text: string): Promise<boolean> {
  const result = await request({ type: 'approval', key, prompt: text, approvalScopes: ['once'] });
  return isRecord(result) && result.action === 'approve';
}

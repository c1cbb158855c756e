import type { Awaitable } from '../basics/awaitable.ts';
import { ToolError } from '../basics/error.ts';
import { isRecord, type Json, type JsonSchema } from '../basics/json.ts';
import type { FormSchema, FormValues } from '../form/field.ts';
import type { FieldErrors } from '../form/field-check.ts';
import { fromFormValues, toFormValues } from '../form/form-answer.ts';
import { formFromSchema } from '../form/form-from-schema.ts';
import { fieldIdsOf } from '../form/schema-property.ts';
import type { InteractionAnswer } from '../prompt/answer.ts';
import type { InteractionSpec } from '../prompt/interaction.ts';
import { pathOf, type ReadSchema, type SchemaIssue } from '../schema/standard-schema.ts';
import type { InteractionDemand, InteractionHooks, Outcome, Retractable } from './demand.ts';

/** Options of `ctx.ask`: those of `requestInteraction` for an input, and those of a form apart from its fields. */
export interface AskOptions<T, Input = unknown>
  extends Pick<
      InteractionSpec,
      | 'title'
      | 'prompt'
      | 'subject'
      | 'risk'
      | 'timeoutMs'
      | 'presentation'
      | 'completedView'
      | 'onUnavailable'
      | 'audience'
      | 'visibility'
      | 'escalate'
      | 'view'
    >,
    Pick<FormSchema, 'layout' | 'sections' | 'submitLabel' | 'cancelLabel'>,
    Pick<InteractionHooks, 'onComment'>,
    Retractable {
  readonly initialValues?: ByField<Input, Json>;
  /** Returns the problem as one sentence, or a sentence for each field; undefined if the values are valid. */
  readonly validate?: (values: T) => Awaitable<string | ByField<Input, string> | undefined>;
}

/** A value for some of a form's fields, with typed names if the schema's are known. */
type ByField<Input, Value> = unknown extends Input
  ? { readonly [id: string]: Value }
  : { readonly [Id in keyof Input]?: Value };

export type RequestInteraction = (demand: InteractionDemand) => Promise<unknown>;

/**
 * Implements `ctx.ask`: shows a form made from the schema of an object and asks again until the values are valid.
 * @throws ToolError `cancelled`, `timeout`, or `tool_error` for a schema that no form can represent
 */
export async function askForm<T, Input>(
  request: RequestInteraction,
  key: string,
  { schema, jsonSchema }: ReadSchema<T>,
  options: AskOptions<T, Input> = {},
): Promise<T> {
  const { validate, layout, sections, submitLabel, cancelLabel, initialValues, ...shown } = options;
  const around = { layout, sections, submitLabel, cancelLabel };
  const given = Object.entries(around).filter(([, value]) => value !== undefined);
  const inputSchema: FormSchema = { ...toForm(jsonSchema), ...Object.fromEntries(given) };
  const result = await request({
    type: 'input',
    key,
    ...shown,
    ...(initialValues !== undefined && { initialValues: toFormValues(jsonSchema, initialValues as FormValues) }),
    inputSchema,
    onResponse: (answer) => judge({ schema, jsonSchema }, validate, answer),
  });
  if (isRecord(result) && 'input' in result) {
    const parsed = await schema['~standard'].validate(result.input); // parsed again, because a recorded outcome is plain JSON
    if (!parsed.issues) return parsed.value;
    throw new ToolError('tool_error', `ctx.ask: the schema now refuses what it took: ${describeIssues(parsed.issues)}`);
  }
  const isTimeout = isRecord(result) && result.error === 'timeout';
  throw isTimeout
    ? new ToolError('timeout', 'Nobody answered in time.')
    : new ToolError('cancelled', 'A person cancelled this.');
}

function toForm(jsonSchema: JsonSchema): FormSchema {
  try {
    return formFromSchema(jsonSchema, { takesFiles: true });
  } catch (cause) {
    if (cause instanceof TypeError) throw new ToolError('tool_error', `ctx.ask: ${cause.message}`, { cause });
    throw cause;
  }
}

async function judge<T, Input>(
  { schema, jsonSchema }: ReadSchema<T>,
  validate: AskOptions<T, Input>['validate'],
  { action, input = {} }: InteractionAnswer,
): Promise<Outcome> {
  if (action !== 'submit') return { complete: { cancelled: true } };
  const values = fromFormValues(jsonSchema, input);
  const ids = fieldIdsOf(isRecord(jsonSchema.properties) ? jsonSchema.properties : {});
  const parsed = await schema['~standard'].validate(values);
  if (parsed.issues) return { reprompt: sayFaults(parsed.issues, ids) };
  const fault = await validate?.(parsed.value);
  if (fault === undefined) return { complete: { input: values } };
  return {
    reprompt:
      typeof fault === 'string'
        ? { error: fault }
        : { error: 'Some values do not fit.', fieldErrors: byField(fault as FieldErrors, ids) },
  };
}

/** Assigns the first issue of each field to the field; other issues go above the form. */
function sayFaults(
  issues: readonly SchemaIssue[],
  ids: ReadonlyMap<string, string>,
): { error: string; fieldErrors: FieldErrors } {
  const placed = issues.map((issue) => ({ ...issue, field: String(pathOf(issue)[0] ?? '') }));
  const isField = ({ field }: { field: string }) => ids.has(field);
  const fieldErrors = placed
    .filter(isField)
    .toReversed()
    .map(({ field, message }) => [field, message]);
  const elsewhere = placed.filter((issue) => !isField(issue));
  const error = elsewhere.length > 0 ? describeIssues(elsewhere) : 'Some values do not fit.';
  return { error, fieldErrors: byField(Object.fromEntries(fieldErrors), ids) };
}

function byField(errors: FieldErrors, ids: ReadonlyMap<string, string>): FieldErrors {
  return Object.fromEntries(Object.entries(errors).map(([name, error]) => [ids.get(name) ?? name, error]));
}

function describeIssues(issues: readonly SchemaIssue[]): string {
  return issues.map((issue) => [pathOf(issue).join('.'), issue.message].filter(Boolean).join(': ')).join('; ');
}

/** Implements `ctx.confirm`: true only for consent; a denial, a cancel and a timeout are all false. */
export async function confirm(request: RequestInteraction, key: string, text: string): Promise<boolean> {
  const result = await request({ type: 'approval', key, prompt: text, approvalScopes: ['once'] });
  return isRecord(result) && result.action === 'approve';
}

import {
  approvalScopes,
  describeUnknown,
  interactionSpecSchema,
  isRecord,
  maxTimeoutMs,
  suggestName,
  ToolError,
} from '@parleyhq/core';
import { requireRequest } from './question-spec.ts';

/** The members of a request that `ctx.approve` and `ctx.ask` fill in themselves or that only the other has. */
const filledIn = ['type', 'key', 'inputSchema', 'url', 'approvalScopes', 'error', 'fieldErrors', 'actions'];
const ofForms = ['initialValues'];
const ofApprovals = ['editable', 'editPath', 'rules'];
const shown = Object.keys(interactionSpecSchema.shape).filter((name) => !filledIn.includes(name));

const approvalMembers = ['key', 'scopes', 'check', 'isEdit', 'grantTtlMs'].concat(
  shown.filter((name) => !ofForms.includes(name)),
);
const askMembers = [
  'validate',
  'layout',
  'sections',
  'submitLabel',
  'cancelLabel',
  ...shown.filter((name) => !ofApprovals.includes(name)),
];

const isFunction = (value: unknown) => typeof value === 'function';

/** A member that `ctx.approve` does not know could have narrowed the consent: `scope` for `scopes` (PLG8). @throws ToolError */
export function requireApproval(demand: unknown): void {
  const refuse = refusalOf('ctx.approve');
  if (!isRecord(demand)) throw refuse('needs an object with a key, as in ctx.approve({ key: "deploy" }).');
  const unknown = describeUnknown(demand, approvalMembers);
  if (unknown.length > 0) throw refuse(unknown.join(' '));
  const { key, scopes, check, isEdit, grantTtlMs, ...spec } = demand;
  if (typeof key !== 'string' && !Array.isArray(key) && !isFunction(key)) {
    throw refuse('key: must be a string, a list of JSON values or a function of the arguments.');
  }
  if (scopes !== undefined) requireScopes(scopes);
  if (check !== undefined && !isFunction(check)) throw refuse('check: must be a function of the arguments.');
  if (isEdit !== undefined && typeof isEdit !== 'boolean') throw refuse('isEdit: must be true or false.');
  if (grantTtlMs !== undefined && !(typeof grantTtlMs === 'number' && grantTtlMs > 0 && grantTtlMs <= maxTimeoutMs)) {
    throw refuse('grantTtlMs: must be a number above 0, in milliseconds, of at most a hundred years.');
  }
  requireRequest({ type: 'approval', ...spec }, { code: 'tool_error', door: 'ctx.approve' });
}

function requireScopes(scopes: unknown): void {
  const refuse = refusalOf('ctx.approve');
  if (!Array.isArray(scopes) || scopes.length === 0) throw refuse(`scopes: must be a list of ${listScopes()}.`);
  for (const scope of scopes) {
    if (approvalScopes.includes(scope)) continue;
    throw refuse(
      `scopes: ${JSON.stringify(scope)} must be one of ${listScopes()}.${suggestName(String(scope), approvalScopes)}`,
    );
  }
}

function listScopes(): string {
  return approvalScopes.map((scope) => `"${scope}"`).join(', ');
}

/** @throws ToolError */
export function requireAsk(key: unknown, schema: unknown, options: unknown): void {
  const refuse = refusalOf('ctx.ask');
  if (!isText(key)) throw refuse('needs a key before the schema, as in ctx.ask("who", z.object({ … })).');
  if (!isRecord(schema) && !isFunction(schema))
    throw refuse('needs the schema of an object after the key, as in ctx.ask("who", z.object({ … })).');
  if (options === undefined) return;
  if (!isRecord(options)) throw refuse('the options must be an object.');
  const unknown = describeUnknown(options, askMembers);
  if (unknown.length > 0) throw refuse(unknown.join(' '));
  if (options.validate !== undefined && !isFunction(options.validate)) {
    throw refuse('validate: must be a function of the values.');
  }
}

/** `ctx.confirm('Really?')` would ask nothing under the key "Really?" (PLG8). @throws ToolError */
export function requireConfirm(key: unknown, text: unknown): void {
  if (isText(key) && isText(text)) return;
  throw refusalOf('ctx.confirm')('needs a key and a question, as in ctx.confirm("delete", "Really delete it?").');
}

/** @throws ToolError */
export function requireStep(key: unknown, fn: unknown): void {
  if (isText(key) && isFunction(fn)) return;
  throw refusalOf('ctx.step')('needs a key and a function, as in ctx.step("send", () => send()).');
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value.trim() !== '';
}

function refusalOf(door: string): (words: string) => ToolError {
  return (words) => new ToolError('tool_error', `${door}: ${words}`);
}

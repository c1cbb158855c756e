import { ToolError } from '../basics/error.ts';
import { isRecord } from '../basics/json.ts';
import { suggestName } from '../basics/near-name.ts';
import { describeUnknown } from '../basics/unknown-members.ts';
import { type FileReference, isFileReference } from '../form/file.ts';
import { maxTimeoutMs } from '../prompt/audience.ts';
import { approvalScopes, isWebAddress } from '../prompt/interaction.ts';
import type { ApprovalDemand } from './approve.ts';
import type { AskOptions } from './ask.ts';
import type { CallbackOptions, WaitOptions } from './tool.ts';

/** Validates the rest of a demand as a request. @throws ToolError that names the called method */
export type RequireRequest = (request: object, handed: { readonly code: 'tool_error'; readonly door: string }) => void;

/** Returns exactly the names of a type's members: the compiler rejects a missing or additional one (PLG8). */
const namesOf = <T>(members: { readonly [Name in keyof T]-?: true }): readonly string[] => Object.keys(members);

const approvalMembers = namesOf<ApprovalDemand>({
  key: true,
  scopes: true,
  rules: true,
  suggest: true,
  check: true,
  isEdit: true,
  grantTtlMs: true,
  onComment: true,
  editable: true,
  editPath: true,
  reasonRequired: true,
  wordsOnlyWithDenial: true,
  decide: true,
  title: true,
  prompt: true,
  subject: true,
  risk: true,
  timeoutMs: true,
  presentation: true,
  view: true,
  completedView: true,
  onUnavailable: true,
  audience: true,
  visibility: true,
  escalate: true,
  signal: true,
});
const askMembers = namesOf<AskOptions<unknown>>({
  initialValues: true,
  validate: true,
  onComment: true,
  layout: true,
  sections: true,
  submitLabel: true,
  cancelLabel: true,
  title: true,
  prompt: true,
  subject: true,
  risk: true,
  timeoutMs: true,
  presentation: true,
  view: true,
  completedView: true,
  onUnavailable: true,
  audience: true,
  visibility: true,
  escalate: true,
  signal: true,
});
const callbackMembers = namesOf<CallbackOptions>({ schema: true, ttlMs: true, browser: true });
const waitMembers = namesOf<WaitOptions>({ timeoutMs: true, from: true, sendTo: true, signal: true });

/** Members that may be functions of the arguments, recomputed for edits (PLG13). */
const following = ['title', 'subject'];

const isFunction = (value: unknown) => typeof value === 'function';

/**
 * Validates a demand. Rejects unknown members, because one could have been meant to narrow the consent: `scope` for `scopes`
 * (PLG8). @throws ToolError
 */
export function requireApproval(demand: unknown, requireRequest: RequireRequest): void {
  const refuse = refusalOf('ctx.approve');
  if (!isRecord(demand)) throw refuse('needs an object with a key, as in ctx.approve({ key: "deploy" }).');
  const unknown = describeUnknown(demand, approvalMembers);
  if (unknown.length > 0) throw refuse(unknown.join(' '));
  const { key, scopes, check, suggest, isEdit, grantTtlMs, ...spec } = demand;
  if (typeof key !== 'string' && !Array.isArray(key) && !isFunction(key)) {
    throw refuse('key: must be a string, a list of JSON values or a function of the arguments.');
  }
  if (scopes !== undefined) requireScopes(scopes);
  if (check !== undefined && !isFunction(check)) throw refuse('check: must be a function of the arguments.');
  if (suggest !== undefined && typeof suggest !== 'boolean') throw refuse('suggest: must be true or false.');
  if (isEdit !== undefined && typeof isEdit !== 'boolean') throw refuse('isEdit: must be true or false.');
  if (grantTtlMs !== undefined && !isDuration(grantTtlMs)) throw refuse(`grantTtlMs: ${durationWords}`);
  requireSignal(demand.signal, refuse);
  const plain = Object.entries(spec).filter(([name, value]) => !(following.includes(name) && isFunction(value)));
  requireRequest({ type: 'approval', ...Object.fromEntries(plain) }, { code: 'tool_error', door: 'ctx.approve' });
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
  const { validate, signal } = options;
  if (validate !== undefined && !isFunction(validate)) throw refuse('validate: must be a function of the values.');
  requireSignal(signal, refuse);
}

/**
 * Validates the arguments. `ctx.confirm('Really?')` would otherwise ask nothing under the key "Really?" (PLG8). @throws ToolError
 */
export function requireConfirm(key: unknown, text: unknown): void {
  if (isText(key) && isText(text)) return;
  throw refusalOf('ctx.confirm')('needs a key and a question, as in ctx.confirm("delete", "Really delete it?").');
}

/** @throws ToolError */
export function requireStep(key: unknown, fn: unknown): void {
  if (isText(key) && isFunction(fn)) return;
  throw refusalOf('ctx.step')('needs a key and a function, as in ctx.step("send", () => send()).');
}

/** @throws ToolError */
export function requireFile(file: unknown): asserts file is FileReference {
  if (isFileReference(file)) return;
  const hint = Array.isArray(file) ? ' A field with "multiple" has a list of them.' : '';
  throw refusalOf('ctx.openFile')(`needs a file of an answer, as in ctx.openFile(answer.input.cv).${hint}`);
}

/** @throws ToolError */
export function requireCallback(key: unknown, options: unknown): void {
  const refuse = refusalOf('ctx.callback');
  if (!isText(key)) throw refuse('needs a key, as in ctx.callback("payment").');
  const { schema, ttlMs, browser } = readOptions(options, callbackMembers, refuse);
  if (browser !== undefined && browser !== true) throw refuse('browser: must be true, or left out.');
  if (schema !== undefined && !isRecord(schema) && !isFunction(schema)) throw refuse('schema: must be a schema.');
  if (ttlMs !== undefined && !isDuration(ttlMs)) throw refuse(`ttlMs: ${durationWords}`);
}

/** @throws ToolError */
export function requireWait(key: unknown, schema: unknown, options: unknown): void {
  const refuse = refusalOf('ctx.waitFor');
  if (!isText(key)) throw refuse('needs the key of a callback, as in ctx.waitFor("payment").');
  if (schema !== undefined && !isRecord(schema) && !isFunction(schema))
    throw refuse(
      'the schema must be one; the options come third, as in ctx.waitFor("payment", schema, { timeoutMs }).',
    );
  if (isRecord(schema) && 'timeoutMs' in schema && options === undefined)
    throw refuse('the options come third, as in ctx.waitFor("payment", undefined, { timeoutMs }).');
  const { timeoutMs, from, sendTo, signal } = readOptions(options, waitMembers, refuse);
  if (from !== undefined && !isText(from)) throw refuse('from: must be the id of a person.');
  if (sendTo !== undefined && !(isText(sendTo) && isWebAddress(sendTo)))
    throw refuse('sendTo: must be an http or https address.');
  if (sendTo !== undefined && from === undefined) throw refuse('sendTo: is for one person: "from" must say whom.');
  requireSignal(signal, refuse);
  if (timeoutMs !== undefined && timeoutMs !== null && !isDuration(timeoutMs))
    throw refuse(`timeoutMs: ${durationWords}`);
}

function readOptions(options: unknown, names: readonly string[], refuse: (words: string) => ToolError) {
  if (options === undefined) return {};
  if (!isRecord(options)) throw refuse('the options must be an object.');
  const unknown = describeUnknown(options, names);
  if (unknown.length > 0) throw refuse(unknown.join(' '));
  return options;
}

function requireSignal(signal: unknown, refuse: (words: string) => ToolError): void {
  if (signal !== undefined && !(signal instanceof AbortSignal)) throw refuse('signal: must be an AbortSignal.');
}

const durationWords = 'must be a number above 0, in milliseconds, of at most a hundred years.';

/** Whether a value is a duration that a timer can be set for. */
export function isDuration(value: unknown): value is number {
  return typeof value === 'number' && value > 0 && value <= maxTimeoutMs;
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value.trim() !== '';
}

function refusalOf(door: string): (words: string) => ToolError {
  return (words) => new ToolError('tool_error', `${door}: ${words}`);
}

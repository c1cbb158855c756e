import { randomUUID } from 'node:crypto';
import { channelSchema, ExitError, isRecord, type Json } from '@parleyhq/core';
import { parseJson, readInput } from '../io/input.ts';
import { forTerminal, toJsonLine } from '../io/line.ts';
import { print } from '../io/output.ts';
import { explainFault } from '../running-server/explain-error.ts';
import { findServer } from '../running-server/named-server.ts';
import { askTokenHint } from '../running-server/running-server.ts';
import { type CallOutcome, ServerHttp } from '../running-server/server-http.ts';
import { readDuration } from '../settings/duration.ts';
import type { ServerFlags } from '../settings/flags.ts';
import { SettingsError } from '../settings/settings.ts';
import { DurableCall } from './durable-call.ts';
import { listAttached, requireFolder, saveFiles } from './save-files.ts';

/** Flags shared by `parley ask`, `approve` and `call`. */
export interface AskingFlags
  extends Pick<ServerFlags, 'url' | 'host' | 'port' | 'token' | 'dataDir' | 'config' | 'json'> {
  readonly key?: string;
  readonly channel?: string;
  readonly from?: string;
  readonly saveTo?: string;
  readonly timeout?: string;
  readonly risk?: string;
  readonly to?: readonly string[];
}

export interface AskFlags extends AskingFlags {
  readonly option?: readonly string[];
  readonly multiple?: boolean;
  readonly other?: boolean;
  readonly title?: string;
  readonly schema?: string;
  readonly form?: string;
}

export interface ApproveFlags extends AskingFlags {
  readonly subject?: string;
  readonly subjectFile?: string;
  readonly kind?: string;
  readonly thread?: string;
  readonly prompt?: string;
  readonly forSession?: boolean;
  readonly forAlways?: boolean;
  readonly approvals?: string;
  readonly whyFor?: readonly string[];
}

/** A person's answer as the command reports it: the line for stdout, a note for stderr, and the exit code. */
interface Said {
  readonly exitCode: 0 | 1 | 3;
  readonly answer?: string;
  /** With exit code 0 the words of the person, which `--json` has in the result. */
  readonly note?: string | undefined;
}

/** `parley ask`: prints the answer. @throws SettingsError, ExitError */
export async function askHuman(question: string, flags: AskFlags): Promise<void> {
  const { option, multiple, other, title, schema, form, risk, to } = flags;
  const args = {
    question,
    ...{ title, multiple, other, risk, audience: audienceOf(to) },
    options: option?.map((label) => ({ label })),
    schema: schema === undefined ? undefined : parseJson('--schema', await readInput('--schema', schema)),
    form: form === undefined ? undefined : parseJson('--form', await readInput('--form', form)),
  };
  await ask({ toolName: 'ask_human', args, read: readAnswer }, flags);
}

/** `parley approve`: prints whether it was approved. @throws SettingsError, ExitError */
export async function requestApproval(title: string, flags: ApproveFlags): Promise<void> {
  const { subject, subjectFile, kind = 'text', thread, prompt, risk, forSession, forAlways, to, whyFor } = flags;
  if ((subject === undefined) === (subjectFile === undefined))
    throw new SettingsError('Say what should be approved, with either --subject or --subject-file.');
  const text = subject ?? (await readInput('--subject-file', subjectFile as string));
  const lasting = [...(forSession ? ['session'] : []), ...(forAlways ? ['always'] : [])];
  const scopes = lasting.length > 0 ? ['once', ...lasting] : undefined;
  const decide = flags.approvals === undefined ? undefined : { approve: readCount('--approvals', flags.approvals) };
  const more = { audience: audienceOf(to), decide, reasonRequired: whyFor?.map(readAction) };
  const args = { title, subject: { kind, text, thread }, prompt, risk, scopes, ...more };
  await ask({ toolName: 'request_approval', args, read: readApproval }, flags);
}

function audienceOf(to: readonly string[] | undefined) {
  return to && { principals: to };
}

/** @throws SettingsError */
function readCount(flag: string, text: string): number {
  if (!/^[1-9]\d?$/.test(text)) throw new SettingsError(`${flag}: must be a number from 1 to 50.`);
  return Number(text);
}

/** @throws SettingsError */
function readAction(word: string): string {
  const known = ['approve', 'deny', 'cancel'];
  if (!known.includes(word)) throw new SettingsError(`--why-for: "${word}" is not one of ${known.join(', ')}.`);
  return word;
}

/** `parley call`: prints the result as a line of JSON. @throws SettingsError, ExitError */
export async function callTool(toolName: string, json: string, flags: AskingFlags): Promise<void> {
  const args = parseJson('<json>', json === '-' ? await readInput('<json>', json) : json);
  if (!isRecord(args)) throw new SettingsError('<json>: must be an object, the arguments of the tool.');
  await ask({ toolName, args, read: (result) => ({ exitCode: 0, answer: JSON.stringify(result) }) }, flags);
}

interface Question {
  readonly toolName: string;
  readonly args: object;
  readonly read: (result: Json) => Said;
}

async function ask({ toolName, args, read }: Question, flags: AskingFlags): Promise<void> {
  const { key = randomUUID(), channel = 'shell', from, timeout, saveTo } = flags;
  if (!channelSchema.safeParse(channel).success)
    throw new SettingsError('--channel: must be 1 to 64 letters, digits, ".", "_", ":" or "-".');
  if (key === '' || key.length > 128) throw new SettingsError('--key: must have 1 to 128 characters.');
  const timeoutMs = timeout === undefined ? undefined : readDuration(timeout);
  if (timeout !== undefined && !timeoutMs)
    throw new SettingsError(`--timeout: "${timeout}" is not a duration such as 90s, 15m, 12h or 30d.`);
  if (saveTo !== undefined) await requireFolder('--save-to', saveTo);
  const server = await findServer(flags, { isAsking: true });
  const http = new ServerHttp(server);
  const interrupt = new AbortController();
  process.once('SIGINT', () => interrupt.abort()); // a second one ends the process
  const call = {
    ...{ channel, callId: key, toolName },
    args: { ...args, timeoutSeconds: timeoutMs === undefined ? undefined : timeoutMs / 1000 },
    from: from === undefined ? undefined : { name: from },
  };
  const deadline = timeoutMs === undefined ? Number.POSITIVE_INFINITY : Date.now() + timeoutMs;
  const outcome = await new DurableCall({ http, call, deadline, interrupt: interrupt.signal })
    .settle()
    .catch((error: unknown) => explainFault(error, hints));
  const again = (flags = '') => `the same command with ${flags}--key ${key}`;
  const result =
    saveTo === undefined
      ? outcome.result
      : await saveFiles(http, outcome.result, saveTo).catch((error: unknown) => {
          throw new ExitError(5, `${(error as Error).message} The question is settled: ${again()} gets it again.`);
        });
  await printOutcome({ ...outcome, ...(result !== undefined && { result }) }, read, {
    json: server.settings.json,
    lost: `The question is settled, but the result could not be written: ${again()} gets it again.`,
    notSaved: saveTo === undefined ? `It came with files: ${again('--save-to <folder> ')} fetches them.` : undefined,
  });
}

async function printOutcome(
  { result, error, delivered }: CallOutcome,
  read: Question['read'],
  { json, lost, notSaved }: { readonly json: boolean; readonly lost: string; readonly notSaved: string | undefined },
): Promise<void> {
  if (json) await print(toJsonLine(error ? { error } : result), lost);
  if (error) throw new ExitError(exitCodes[error.code] ?? 5, error.message);
  if (delivered === false) throw new ExitError(5, spent);
  const { answer, note, exitCode } = read(result ?? null);
  const paths = listAttached(result).flatMap(({ path }) => path ?? []);
  const lines = [...(answer === undefined ? [] : [answer]), ...paths];
  if (lines.length > 0 && !json) await print(forTerminal(`${lines.join('\n')}\n`), lost);
  if (notSaved !== undefined && !json && listAttached(result).length > 0) process.stderr.write(`${notSaved}\n`);
  if (note !== undefined && exitCode !== 0) throw new ExitError(exitCode, note);
  if (note !== undefined && !json) process.stderr.write(forTerminal(`${note}\n`, process.stderr.isTTY));
  process.exitCode = exitCode;
}

/** Exit codes of calls that ended without a result, by error code; 1 means that a person said no. */
const exitCodes: Readonly<Record<string, number>> = {
  denied: 1,
  cancelled: 1,
  withdrawn: 1,
  invalid_args: 2,
  timeout: 3,
};

const spent = 'The answer is a secret that was given out already: ask again with another --key.';
const late = 'Nobody answered in time.';

function readAnswer(result: Json): Said {
  const { ok, answer, values, error, by, reason } = result as Record<string, Json>;
  const note = reason === undefined ? undefined : `answered: ${reason}`;
  if (ok === true)
    return { exitCode: 0, answer: values === undefined ? showAnswer(answer) : JSON.stringify(values), note };
  if (error === 'timeout') return { exitCode: 3, note: late };
  const why = reason === undefined ? '.' : `: ${reason}`;
  return { exitCode: 1, note: `${nameOf(by)} cancelled the question${why}` };
}

/** The answer as text, one line per chosen option. */
function showAnswer(answer: Json | undefined): string {
  return Array.isArray(answer) ? answer.map(String).join('\n') : String(answer);
}

function readApproval(result: Json): Said {
  const { approved, error, reason } = result as Record<string, Json>;
  if (approved === true)
    return { exitCode: 0, answer: 'approved', note: reason === undefined ? undefined : `approved: ${reason}` };
  if (error === 'timeout') return { exitCode: 3, note: late };
  return { exitCode: 1, answer: reason === undefined ? 'denied' : `denied: ${reason}` };
}

function nameOf(by: Json | undefined): string {
  return isRecord(by) && typeof by.name === 'string' ? by.name : 'Somebody';
}

const hints = {
  unauthorised: askTokenHint,
  forbidden:
    'To ask takes a token with the role asker or operator, to call any other tool an operator: "parley token create" makes one.',
  idempotency_conflict: 'Give each question a --key of its own.',
};

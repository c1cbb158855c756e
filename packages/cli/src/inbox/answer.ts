import {
  type Action,
  type Actor,
  type Annotation,
  type ApprovalScope,
  actions,
  type Field,
  type FileReference,
  type FormValues,
  type InboxEntry,
  isRecord,
  type Json,
  maxAttachments,
  mayConsent,
  nameOf,
  needsVotes,
  quoteLines,
  RefusalError,
  showHidden,
  splitLines,
  type Tally,
} from '@parleyhq/core';
import { parseJson, readInput } from '../io/input.ts';
import { toJsonLine, toLine } from '../io/line.ts';
import { print } from '../io/output.ts';
import { findServer } from '../running-server/named-server.ts';
import { ServerHttp } from '../running-server/server-http.ts';
import type { ServerFlags } from '../settings/flags.ts';
import { SettingsError } from '../settings/settings.ts';
import { describeOwnVote } from '../terminal/prompt-words.ts';
import { findEntry, readInbox } from './find-entry.ts';
import { readConsent } from './read-consent.ts';
import { describeEntry, showEntry } from './show-entry.ts';

export type AnswerFlags = ServerFlags & {
  readonly scope?: string;
  /** Id of the rule to allow instead of exactly this. */
  readonly rule?: string;
  readonly reason?: string;
  readonly input?: string;
  readonly button?: string;
  /** Comments on lines of the subject, each as `line:text` or `from-to:text`. */
  readonly comment?: readonly string[];
  /** Files to upload, each as `field=path`. */
  readonly file?: readonly string[];
  /** Files to attach to the answer, each as a path. */
  readonly attach?: readonly string[];
};

/** `parley inbox`: one line per prompt; with `--json`, one line of JSON each. */
export async function listInbox(flags: ServerFlags): Promise<void> {
  const { http, json } = await openHttp(flags);
  const open = await readInbox(http);
  for (const entry of open) process.stdout.write(json ? toJsonLine(entry) : toLine(describeEntry(entry)));
  if (open.length === 0 && !json) process.stdout.write('Nothing waits for you.\n');
}

/** `parley answer`: answers the prompt as the server has it now, whatever an earlier list showed. @throws SettingsError */
export async function answerPrompt(id: string, given: string | undefined, flags: AnswerFlags): Promise<void> {
  const { scope, rule, reason, input: text, button, ...others } = flags;
  const { file: files = [], comment: comments = [], attach = [], ...own } = others;
  const isFilled = (text ?? button ?? files[0]) !== undefined;
  const action = given ?? (isFilled ? 'submit' : undefined);
  if (action !== undefined && !(actions as readonly string[]).includes(action))
    throw new SettingsError(`"${action}" is not one of ${actions.join(', ')}.`);
  if (action === undefined && (scope ?? rule ?? reason ?? comments[0] ?? attach[0]) !== undefined)
    throw new SettingsError('Say what the answer is.');
  if (rule !== undefined && action !== 'approve') throw new SettingsError('--rule goes with approve.');
  if (attach.length > maxAttachments)
    throw new SettingsError(
      `--attach: an answer takes at most ${maxAttachments} files, and these are ${attach.length}.`,
    );
  const input =
    text === undefined ? undefined : parseJson('--input', text === '-' ? await readInput('--input', text) : text);
  const { server, http, json } = await openHttp(own);
  const entry = findEntry(await readInbox(http), id);
  if (action === undefined) {
    if (json) process.stdout.write(toJsonLine(entry));
    else {
      const more = entry.comments || offersAlways(entry); // the library for sockets is loaded only if needed
      const { said, principal } = more ? await (await import('./discussion.ts')).readMore(server, entry) : {};
      const isOffered = (scope: ApprovalScope) => !principal || mayConsent(principal, scope);
      process.stdout.write(showHidden(showEntry(entry, said, isOffered)));
    }
    return;
  }
  const { digest } = entry.interaction;
  const consent = readConsent(entry, flags);
  const annotations = comments.map((comment) => readComment(entry, comment));
  const values = files.length === 0 ? input : { ...(input as FormValues), ...(await giveFiles(http, entry, files)) };
  const attached: FileReference[] = [];
  for (const path of attach) attached.push(await upload(http, entry, undefined, path));
  const more = { reason, annotations, ...(attached.length > 0 && { files: attached }) };
  const reply = await http
    .answer(entry, { action, digest, ...consent, ...more, button, input: values })
    .catch((error: unknown) => explain(error, entry));
  const words = json ? toJsonLine(reply) : toLine(describeReply(entry, action as Action, reply));
  await print(words, 'Your answer was accepted, but the reply could not be written.');
}

/** Whether it depends on the person what they may choose. */
function offersAlways({ interaction: { approvalScopes = [], rules = [] } }: InboxEntry): boolean {
  return approvalScopes.includes('always') || rules.some(({ scopes }) => scopes.includes('always'));
}

/** Reads one `--comment` and quotes its lines. @throws SettingsError if it names none that the subject has */
function readComment({ interaction: { subject } }: InboxEntry, given: string): Annotation {
  const [, from, to = from, comment = ''] = /^(\d+)(?:-(\d+))?:(.+)$/s.exec(given) ?? [];
  if (from === undefined)
    throw new SettingsError(`--comment ${given}: name a line and say something, as in --comment 12:"Not here."`);
  if (!subject) throw new SettingsError('--comment: this prompt shows nothing that could be annotated.');
  const lines = [Number(from), Number(to)] as const;
  const quote = quoteLines(subject, lines);
  if (quote === undefined) {
    const { length } = splitLines(subject.text);
    const there = length === 1 ? 'there is only line 1' : `they are 1 to ${length}`;
    throw new SettingsError(`--comment ${given}: it shows no such lines: ${there}.`);
  }
  return { lines, quote, comment };
}

/** Uploads the files of `--file`, and returns the values of their fields. @throws SettingsError if one is not a file field */
async function giveFiles(http: ServerHttp, entry: InboxEntry, files: readonly string[]): Promise<FormValues> {
  const fields = entry.interaction.inputSchema?.fields.filter(({ type }) => type === 'file') ?? [];
  const values: Record<string, Json> = {};
  for (const given of files) {
    const [, id, path = ''] = /^([^=]+)=(.+)$/s.exec(given) ?? [];
    const field = fields.find((candidate) => candidate.id === id);
    if (!field) throw new SettingsError(explainField(given, fields));
    const file = await upload(http, entry, field.id, path);
    values[field.id] = field.multiple ? [...((values[field.id] as Json[]) ?? []), file] : file;
  }
  return values;
}

/** Uploads a file. @throws SettingsError if it does not fit, as for one that is not there */
async function upload(http: ServerHttp, entry: InboxEntry, field: string | undefined, path: string) {
  return http.upload(entry, field, path).catch((error: unknown) => {
    if (error instanceof RefusalError && error.code === 'invalid')
      throw new SettingsError(error.message, { cause: error });
    throw error;
  });
}

function explainField(given: string, fields: readonly Field[]): string {
  if (fields.length === 0) return '--file: this form takes no files.';
  const known = fields.map(({ id }) => id).join(', ');
  return `--file ${given}: name a field and a path, as in --file ${fields[0]?.id}=./notes.txt. Fields: ${known}.`;
}

/** The line that reports the outcome: answered, decided by this vote, or how many votes are in (TEAM3). */
function describeReply({ interaction }: InboxEntry, action: Action, { votes }: { readonly votes?: Tally }): string {
  if (votes) return describeOwnVote(interaction, { action }, votes);
  const isDecided = needsVotes(interaction) ? ` Your ${action === 'approve' ? 'approval' : 'denial'} decided it.` : '';
  return `Answered ${interaction.interactionId}.${isDecided}`;
}

async function openHttp({ json = false, ...flags }: ServerFlags) {
  const server = await findServer(flags);
  return { server, http: new ServerHttp(server), json };
}

/** Rethrows a refusal with details: who answered first, which values are invalid, or that a reason is needed. */
function explain(error: unknown, { interaction }: InboxEntry): never {
  if (!(error instanceof RefusalError && isRecord(error.details))) throw error;
  const { by, fieldErrors } = error.details;
  if (error.code === 'already_answered' && isRecord(by))
    throw new Error(`${nameOf(by as unknown as Actor)} answered first.`, { cause: error });
  if (!isRecord(fieldErrors)) throw error;
  if (interaction.interactionType !== 'input' && typeof fieldErrors.reason === 'string')
    throw new Error(`${fieldErrors.reason} Give it a --reason.`, { cause: error });
  const others = Object.entries(fieldErrors).filter(([, fault]) => fault !== error.message);
  const faults = others.map(([name, fault]) => `\n  ${name}: ${fault}`);
  throw new Error(`${error.message}${faults.join('')}`, { cause: error });
}

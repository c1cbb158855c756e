import type { KeyObject } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { type AuditActor, describeResponse, ExitError, isRecord, type Payload, splitLines } from '@parleyhq/core';
import { formatMoment } from '@parleyhq/core/transcript';
import {
  type LoggedPrompt,
  makeReceipt,
  openAuditReader,
  openLogReader,
  openReceiptKey,
  publicKeyOf,
  type Receipt,
  readPublicKey,
  type Signer,
  signReceipt,
  type VerifiedReceipt,
  verifyReceipt,
} from '@parleyhq/server';
import { toJsonLine, toLine } from '../io/line.ts';
import type { DataFlags } from '../settings/flags.ts';
import { readSettings, SettingsError } from '../settings/settings.ts';
import { findDatabase } from '../store/open-store.ts';
import { writeWhole } from './write-atomically.ts';

export interface ReceiptFlags extends Omit<DataFlags, 'json'> {
  readonly session?: string;
  readonly out?: string;
}

/** `parley receipt`: writes the signed receipt of a settled prompt, whether a server is running or not (SIGN3). */
export async function writeReceipt(interactionId: string, { session, out, ...flags }: ReceiptFlags): Promise<void> {
  const settings = await readSettings(flags, process.env, process.cwd());
  const { dataDir } = settings;
  const database = findDatabase(settings, 'receipt');
  const { sessionId, request, votes, settlement } = findPrompt(database, { interactionId, session, dataDir });
  if (settlement === undefined) throw new Error(`Nobody has answered ${interactionId} yet, so there is no receipt.`);
  const rows = readRows(database, sessionId);
  const receipt = makeReceipt({
    request: JSON.parse(request),
    votes: votes.map((vote) => JSON.parse(vote)),
    settlement: JSON.parse(settlement),
    rows,
  });
  const text = signReceipt(receipt, openReceiptKey(dataDir));
  if (out === undefined) process.stdout.write(text);
  else
    await writeWhole(out, { flag: '--out', dataDir }, (temporary) =>
      writeFile(temporary, text, { flag: 'wx', mode: 0o600 }),
    );
}

function findPrompt(
  database: string,
  { interactionId, session, dataDir }: { interactionId: string; session: string | undefined; dataDir: string },
): LoggedPrompt {
  const reader = openLogReader(database);
  try {
    const all = reader.findPrompts(interactionId);
    const found = session === undefined ? all : all.filter(({ sessionId }) => sessionId === session);
    const [first] = found;
    if (!first) {
      const where = session === undefined ? dataDir : `session "${session}"`;
      throw new Error(`There is no prompt "${interactionId}" in ${where}. Its id is in the audit: parley audit.`);
    }
    if (found.length > 1)
      throw new SettingsError(
        `Several sessions have a prompt "${interactionId}": name one with --session: ${found.map(({ sessionId }) => sessionId).join(', ')}.`,
      );
    return first;
  } finally {
    reader.close();
  }
}

function readRows(database: string, sessionId: string) {
  const reader = openAuditReader(database);
  try {
    return reader.read(sessionId)?.rows ?? [];
  } finally {
    reader.close();
  }
}

/** `parley receipt key`: prints the public key that verifies the receipts of a data directory. */
export async function printReceiptKey(flags: DataFlags): Promise<void> {
  const settings = await readSettings(flags, process.env, process.cwd());
  if (settings.store === undefined) findDatabase(settings, 'receipt key'); // a mistyped folder gets no key
  process.stdout.write(publicKeyOf(openReceiptKey(settings.dataDir)));
}

export interface VerificationFlags {
  readonly key?: string;
  /** Fingerprints. */
  readonly passkey?: readonly string[];
  readonly json?: boolean;
}

/** `parley receipt verify`: checks a receipt with nothing but the file and, if given, the keys. @throws ExitError 1 */
export async function checkReceipt(file: string, { key, passkey = [], json }: VerificationFlags): Promise<void> {
  const text = await readNamed(file);
  const wanted = key === undefined ? undefined : readKey(await readNamed(key), key);
  passkey.forEach(requireFingerprint);
  const verified = await verify(text, file, wanted, passkey);
  const { receipt, fingerprint, passkeys, signers } = verified;
  if (json) {
    process.stdout.write(toJsonLine({ ...receipt, fingerprint, passkeys, signers }));
    return;
  }
  for (const line of describeReceipt(verified)) process.stdout.write(toLine(line));
  process.stdout.write(toLine(`Valid: nothing was altered since ${fingerprint} signed it.`));
  if (!wanted)
    process.stdout.write(
      'The file cannot prove that this is the server’s key: compare it with the output of parley receipt key, or give that with --key.\n',
    );
  if (passkey.length === 0 && passkeys.length > 0)
    process.stdout.write(
      'Nor can it prove whose passkeys these are: compare each with the fingerprint that its owner gave you, or give that with --passkey.\n',
    );
}

async function readNamed(file: string): Promise<string> {
  return readFile(file, 'utf8').catch((cause: Error) => {
    throw new SettingsError(`${file} cannot be read: ${cause.message}`, { cause });
  });
}

function readKey(pem: string, file: string) {
  try {
    return readPublicKey(pem);
  } catch (cause) {
    throw new SettingsError(`--key: ${file} has no Ed25519 key: parley receipt key prints one.`, { cause });
  }
}

/** @throws SettingsError */
function requireFingerprint(text: string): void {
  if (!/^SHA256:[A-Za-z0-9+/]{43}$/.test(text))
    throw new SettingsError(`--passkey: "${text}" is not a fingerprint: parley passkeys and the page print them.`);
}

async function verify(
  text: string,
  file: string,
  ...wanted: [key: KeyObject | undefined, passkeys: readonly string[]]
) {
  try {
    return await verifyReceipt(text, ...wanted);
  } catch (cause) {
    throw new ExitError(1, `${file} is not valid. ${cause instanceof Error ? cause.message : cause}`, { cause });
  }
}

/** Describes a receipt, a line for each thing that it states. */
function* describeReceipt({ receipt, signers }: VerifiedReceipt): Generator<string> {
  const { sessionId, interactionId, toolName, askedAt, digest, shown, terms, votes = [], settlement, audit } = receipt;
  yield `${toolName} ${interactionId}, session ${sessionId}`;
  yield `asked    ${formatMoment(askedAt)}`;
  yield* describeShown(JSON.parse(shown));
  yield `digest   ${digest}`;
  if (terms) yield 'terms';
  yield* describeMembers(terms);
  for (const { seq, at, payload } of votes) {
    yield `vote     ${formatMoment(at)}: ${describeVote(payload)}`;
    yield* describeSignature(receipt, findSigner(signers, seq));
  }
  yield `settled  ${formatMoment(settlement.at)}: ${describeSettlement(receipt)}`;
  if (settlement.event === 'interaction_response')
    yield* describeSignature(receipt, findSigner(signers, settlement.seq));
  yield audit ? `audit    row ${audit.n}, ${audit.hash}` : 'audit    none: an earlier release stored this';
}

const findSigner = (signers: readonly Signer[], seq: number) => signers.find((signer) => signer.seq === seq);

/**
 * Names the passkey that signed an answer by the key that verified its signature, and the person who is signed, because names and
 * roles are not. The receipt proves that the passkey signed, not whose it is. A line of its own, so that nobody's words pass for
 * it; none if none was demanded.
 */
function* describeSignature({ terms, stepUp }: Receipt, signer: Signer | undefined): Generator<string> {
  if (signer) {
    const { passkey, origin, person, v } = signer;
    const less = terms && v === 1 ? ', without the terms' : '';
    yield `signed   with passkey ${passkey} at ${origin} as person ${JSON.stringify(person)}${less}`;
  } else if (stepUp) yield 'unsigned without a passkey';
}

/** Describes what people were shown; the lines of a subject stay lines. */
function* describeShown({ tool: _, type, subject, ...members }: Record<string, unknown>): Generator<string> {
  yield `shown    as ${type}`;
  yield* describeMembers(members);
  if (!isRecord(subject)) return;
  yield `  subject (${subject.kind}):`;
  for (const line of splitLines(String(subject.text))) yield `    ${line}`;
}

function* describeMembers(members: Readonly<Record<string, unknown>> = {}): Generator<string> {
  for (const [name, value] of Object.entries(members))
    yield `  ${name}: ${typeof value === 'string' ? value : JSON.stringify(value)}`;
}

function describeSettlement({ shown, settlement: { event, payload } }: Receipt): string {
  if (event === 'interaction_closed') {
    const { reason, note } = payload;
    return [`closed, ${reason}`, note !== undefined && JSON.stringify(note)].filter(Boolean).join(', ');
  }
  const { action, approvalScope, by, grantId, votes, late } = payload;
  const words = describeResponse(undefined, { action, ...(approvalScope && { approvalScope }) });
  const whom = grantId === undefined ? `by ${describeActor(by)}` : `by grant ${grantId}`;
  const parts = [
    `${words} ${whom}`,
    late && 'after the deadline',
    votes && `votes ${JSON.stringify(votes)}`,
    ...describeChoices(JSON.parse(shown), payload),
    ...describeWords(payload),
  ];
  return parts.filter(Boolean).join(', ');
}

/** Describes what was chosen: the answer allows no more than that. */
function* describeChoices(
  { rules, actions }: Record<string, unknown>,
  { ruleId, button, input, editedArgs, files }: Payload<'interaction_response'>,
): Generator<string> {
  if (ruleId !== undefined) yield `rule ${ruleId}${labelOf(rules, ruleId)}`;
  if (button !== undefined) yield `button ${button}${labelOf(actions, button)}`;
  if (input) yield `values ${JSON.stringify(input)}`;
  if (editedArgs !== undefined) yield `edited arguments ${JSON.stringify(editedArgs)}`;
  if (files) yield `files ${JSON.stringify(files)}`;
}

function describeVote(vote: Payload<'interaction_vote'>): string {
  const parts = [`${describeResponse(undefined, vote)} by ${describeActor(vote.by)}`, ...describeWords(vote)];
  return parts.filter(Boolean).join(', ');
}

function* describeWords({ reason, annotations }: Pick<Payload<'interaction_vote'>, 'reason' | 'annotations'>) {
  if (reason !== undefined) yield JSON.stringify(reason);
  if (annotations) yield `remarks ${JSON.stringify(annotations)}`;
}

/** Returns the label of what people chose from, as they were shown it; empty if there is none. */
function labelOf(offered: unknown, id: string): string {
  const found: unknown = Array.isArray(offered) ? offered.find((each) => isRecord(each) && each.id === id) : undefined;
  return isRecord(found) && typeof found.label === 'string' ? ` ${JSON.stringify(found.label)}` : '';
}

function describeActor({ principal, name, role, transport }: AuditActor): string {
  return `${name === undefined ? principal : `${name} (${principal})`}${role ? `, ${role}` : ''} over ${transport}`;
}

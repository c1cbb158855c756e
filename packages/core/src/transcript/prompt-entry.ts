import { isRecord, type Json } from '../basics/json.ts';
import { describeValue, type Field, type FormValues, isEmptyValue, labelOf, listChoices } from '../form/field.ts';
import { describeFile, type FileReference } from '../form/file.ts';
import { findButton } from '../form/form-button.ts';
import type { Payload } from '../log/event.ts';
import type { InteractionItem, Placed } from '../log/items.ts';
import {
  describeAudience,
  describeClosing,
  describeQuorum,
  describeReasons,
  describeResponse,
  describeVotes,
  wordFor,
} from '../log/settlement-words.ts';
import { type Annotation, nameLines, splitLines } from '../prompt/annotated-lines.ts';
import { findRule } from '../prompt/answer.ts';
import { titleOf } from '../prompt/heading.ts';
import { type InteractionResponse, nameOf } from '../prompt/interaction.ts';
import type { InteractionRequest } from '../prompt/interaction-request.ts';
import { at, type Block, blocks, code, type Entry, fact, joinLines, type Line, line, outcome, trace } from './line.ts';
import { describeActor, scopeWords, typeWords } from './words.ts';

/** Describes a prompt: the request, then its history in order. */
export function describePrompt(item: InteractionItem): Entry {
  const request = item.request?.payload;
  return {
    tone: 'prompt',
    seq: item.seq,
    timestamp: item.timestamp,
    heading: request ? line`${[wordFor(typeWords, request.interactionType)]}, attempt ${request.attempt}` : ['Prompt'],
    blocks: blocks(request && describeRequest(request), describeHistory(item)),
  };
}

function describeRequest(request: InteractionRequest): readonly Block[] {
  const { prompt, subject, url, error, fieldErrors, source, replaces, risk, approvalScopes } = request;
  const { decide, reasonRequired } = request;
  const title = titleOf(request);
  const { interactionType, setsAside, inputSchema, initialValues, expiresAt, rules = [], actions = [] } = request;
  return blocks(
    title !== undefined && { kind: 'prose', text: title },
    prompt !== undefined && { kind: 'prose', text: prompt },
    trace(line`Prompt ${request.interactionId} of ${[source.kind]} ${source.name}`),
    replaces !== undefined && trace(line`Asked again: replaces ${replaces}`),
    setsAside !== undefined && trace(line`Asked anew: sets aside the answer to ${setsAside}`),
    error !== undefined && { kind: 'prose', label: ['Why it was asked again'], text: error },
    Object.entries(fieldErrors ?? {}).map(([id, message]) => fact(line`Fault of ${id}: ${message}`)),
    subject && code(line`Subject, ${[subject.kind]}`, subject.text),
    url !== undefined && fact(line`Address: ${url}`),
    risk && fact([`Risk: ${risk}`]),
    interactionType === 'approval' &&
      approvalScopes &&
      fact([`Offered: ${approvalScopes.map((scope) => wordFor(scopeWords, scope)).join(', ')}`]),
    rules.map(({ label, scopes }) =>
      fact(line`Offered as a rule: ${label} (${[scopes.map((scope) => wordFor(scopeWords, scope)).join(', ')]})`),
    ),
    inputSchema?.fields.map((field) => fact(describeField(field))),
    actions.map(({ label }) => fact(line`Button: ${label}`)),
    inputSchema &&
      initialValues &&
      describeValues(
        'Filled in beforehand',
        inputSchema.fields.filter(({ id }) => id in initialValues),
        initialValues,
      ),
    decide && fact([`Decided by ${describeQuorum(request)}`]),
    reasonRequired && fact([`To be explained: ${describeReasons(reasonRequired)}`]),
    expiresAt !== undefined && fact(line`To be answered until ${at(expiresAt)}`),
  );
}

function describeField(field: Field): Line {
  const options = (field.options ?? []).map(({ label }) => line`${label}`);
  const choices = joinLines([...options, ...(field.other ? [['another one']] : [])], ', ');
  const kind = `${field.type}${field.required ? ', required' : ''}`;
  return line`Field ${labelOf(field)} (${[kind]})${choices.length > 0 ? [': ', ...choices] : []}`;
}

type Comment = Payload<'interaction_comment'>;

/** Describes who commented and what they answered; the words of whoever asks are not a person's (REV4). */
function describeComment({ by, isAskers }: Comment, timestamp: string, asked?: Comment): Line {
  const kind = asked ? 'Reply' : 'Comment';
  const role = isAskers ? ' of whoever asks,' : '';
  const to = asked ? line`, to ${nameOf(asked.by)}: “${quoteBriefly(asked.text)}”` : [];
  return [`${kind}${role} by `, ...describeActor(by), ', ', ...at(timestamp), ...to];
}

/** The first line of a text, cut after 80 characters. */
function quoteBriefly(text: string): string {
  const [first = ''] = splitLines(text.trim());
  const start = [...first].slice(0, 80).join('');
  return start === text.trim() ? start : `${start}…`;
}

function describeHistory(item: InteractionItem): readonly Block[] {
  const { request, expired, pending, response, closed, votes = [], comments = [], escalations = [] } = item;
  const fates: { seq: number; blocks: readonly Block[] }[] = [];
  for (const { seq, timestamp, payload } of votes) {
    const { action, by, reason, annotations, votes: tally } = payload;
    const count = request ? line`: ${[describeVotes(request.payload, tally)]}` : [];
    const side = action === 'approve' ? 'Vote for it' : 'Vote against it';
    const words = outcome(side, line`, by ${describeActor(by)}${withPasskey(payload)}, ${at(timestamp)}${count}`);
    fates.push({
      seq,
      blocks: blocks(
        words,
        reason !== undefined && { kind: 'prose', label: ['Reason'], text: reason },
        listAnnotations(annotations),
        describeStruck(payload),
      ),
    });
  }
  for (const { seq, timestamp, payload } of comments) {
    const asked = comments.find(({ payload: { commentId } }) => commentId === payload.replyTo)?.payload;
    fates.push({
      seq,
      blocks: [{ kind: 'prose', label: describeComment(payload, timestamp, asked), text: payload.text }],
    });
  }
  for (const { seq, timestamp, payload } of escalations) {
    const words = outcome('More were asked', line`: ${describeAudience(payload.audience)}, ${at(timestamp)}`);
    fates.push({ seq, blocks: [words] });
  }
  if (expired) fates.push({ seq: expired.seq, blocks: [outcome('Timed out', line`, ${at(expired.timestamp)}`)] });
  if (pending) {
    const { message, expiresAt } = pending.payload;
    const until = expiresAt === undefined ? [] : line`; it may be answered until ${at(expiresAt)}`;
    const words = outcome(
      'Left pending',
      line`: its tool went on without the answer, ${at(pending.timestamp)}${until}`,
    );
    fates.push({ seq: pending.seq, blocks: [words, fact(line`The tool said: ${message}`)] });
  }
  if (response) {
    const place = line`; in its place at event ${response.seq}`;
    const answer = describeAnswer(request?.payload, response);
    fates.push({
      seq: response.seq,
      blocks: response.payload.late ? [describeAnswered(request?.payload, response, place)] : answer,
    });
  }
  if (closed) {
    const { reason, replacedBy, note } = closed.payload;
    const said = note === undefined ? [] : line`: “${note}”`;
    const next = replacedBy === undefined ? [] : line`; asked again as ${replacedBy}`;
    fates.push({
      seq: closed.seq,
      blocks: [outcome(describeClosing(reason), line`${said}${next}, ${at(closed.timestamp)}`)],
    });
  }
  if (!response && !closed) {
    fates.push({ seq: Number.POSITIVE_INFINITY, blocks: [outcome('Not settled', [' when this was exported'])] });
  }
  return fates.sort((a, b) => a.seq - b.seq).flatMap((fate) => fate.blocks);
}

/** Says that a passkey signed an answer or a vote (SIGN2). */
function withPasskey({ assertion }: Pick<InteractionResponse, 'assertion'>): Line {
  return assertion ? [', with a passkey'] : [];
}

/** Lists votes that no longer counted, because their tokens were revoked (TEAM3). */
function describeStruck({ struck = [] }: { readonly struck?: readonly string[] | undefined }): Block | false {
  return struck.length > 0 && fact(line`No longer counted, revoked since: ${struck.join(', ')}`);
}

/** Lists a late answer also at its own position in the log, because its prompt may be far above. */
export function describeLateAnswer({ interactionId, request, response }: InteractionItem): readonly Entry[] {
  if (!response?.payload.late) return [];
  const { seq, timestamp } = response;
  const heading = line`Late answer to prompt ${interactionId}`;
  return [{ tone: 'prompt', seq, timestamp, heading, blocks: describeAnswer(request?.payload, response) }];
}

type Answer = Placed<InteractionResponse>;

function describeAnswered(request: InteractionRequest | undefined, { payload, timestamp }: Answer, more: Line = []) {
  const { by, late } = payload;
  const action = `${describeResponse(request, payload)}${late ? ', late' : ''}`;
  const rule = request && findRule(request, payload.ruleId);
  const button = request && findButton(request, payload.button);
  const named = rule ?? button;
  const allowed = named ? line`: ${named.label}` : [];
  const count = payload.votes && request ? line` (${[describeVotes(request, payload.votes)]})` : [];
  return outcome(
    action,
    line`${count}${allowed}, by ${describeActor(by)}${withPasskey(payload)}, ${at(timestamp)}${more}`,
  );
}

function describeAnswer(request: InteractionRequest | undefined, response: Answer): readonly Block[] {
  const { reason, annotations, files, input, editedArgs, grantId } = response.payload;
  return blocks(
    describeAnswered(request, response),
    describeStruck(response.payload),
    reason !== undefined && { kind: 'prose', label: ['Reason'], text: reason },
    listAnnotations(annotations),
    describeFiles(files),
    input && describeValues('Answered', request?.inputSchema?.fields ?? [], input, describeRest),
    editedArgs !== undefined && code(['Arguments, as they were changed'], editedArgs),
    grantId !== undefined && fact(line`Covered by grant ${grantId}`),
  );
}

/** Lists what was said about lines of the subject, each with the lines (REV1). */
function listAnnotations(annotations: readonly Annotation[] = []): readonly Block[] {
  return annotations.flatMap((annotation) => {
    const { quote, comment, replacement } = annotation;
    return blocks(
      code([nameLines(annotation)], quote),
      comment !== undefined && { kind: 'prose', label: ['Comment'], text: comment },
      replacement !== undefined && code(['Replacement'], replacement),
    );
  });
}

/** Names the files attached to an answer or a message (REV6). */
export function describeFiles(files: readonly FileReference[] = []): readonly Block[] {
  return files.map((file) => fact(line`Attached: ${describeFile(file)}`));
}

/** Describes the form's fields in order, then values without a field. */
function describeValues(
  words: string,
  fields: readonly Field[],
  values: FormValues,
  describeMore: (field: Field, values: FormValues) => Line = () => [],
): readonly Block[] {
  const known = new Set(fields.map((field) => field.id));
  const others = Object.entries(values).filter(([id]) => !known.has(id));
  return [
    ...fields.map((field) =>
      fact(line`${[words]}, ${labelOf(field)}: ${describeInput(field, values)}${describeMore(field, values)}`),
    ),
    ...others.map(([id, value]) =>
      fact(line`${[words]}, ${id}: ${isRedacted(value) ? [redactedWords] : textOf(value)}`),
    ),
  ];
}

const redactedWords = 'redacted (a secret)';

/** Describes a value. Never shows a secret, even if the log contains one; the placeholder is in Parley's own words. */
function describeInput(field: Field, values: FormValues): string | Line {
  const value = Object.hasOwn(values, field.id) ? values[field.id] : undefined;
  if (value === undefined || isEmptyValue(value)) return ['left empty'];
  if (field.type === 'secret' || isRedacted(value)) return [redactedWords];
  const isPlain = !isRecord(value) || 'other' in value || field.type === 'file';
  return isPlain ? describeValue(field, value) : textOf(value);
}

/** Lists the options that were not chosen, so that the line can be understood without the form. */
function describeRest(field: Field, values: FormValues): Line {
  const value = Object.hasOwn(values, field.id) ? values[field.id] : undefined;
  const rest = listChoices(field, value).filter(({ isChosen }) => !isChosen);
  return rest.length === 0
    ? []
    : [
        '; not chosen: ',
        ...joinLines(
          rest.map(({ label }) => line`${label}`),
          ', ',
        ),
      ];
}

function isRedacted(value: Json): boolean {
  return isRecord(value) && value.redacted === true;
}

function textOf(value: Json): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

import { fromLocalInput, isSkippedTime, skippedTime, toLocalInput } from '@parleyhq/client';
import { type Field, type FileReference, isRecord, type Json, labelOf, listFiles, readNumber } from '@parleyhq/core';
import { toLine } from '../io/line.ts';
import type { Choice, Prompts } from './prompts.ts';

export interface FieldQuestion {
  readonly field: Field;
  readonly initial: Json | undefined;
  /** Returns what is wrong with the value, if anything. */
  check(value: Json): string | undefined;
  /** Uploads a local file (PLG13). @throws Error with a message for the person */
  give(path: string): Promise<FileReference>;
}

/** Asks for the value of a field of any type (INT16); undefined if it is left empty. @throws LeftError */
export function askField(question: FieldQuestion, prompts: Prompts): Promise<Json | undefined> {
  const { field, initial } = question;
  switch (field.type) {
    case 'text':
      return hasLines(question) ? askLines(question, prompts) : askTyped(question, prompts);
    case 'number':
    case 'date':
    case 'time':
    case 'datetime':
      return askTyped(question, prompts);
    case 'textarea':
      return askLines(question, prompts);
    case 'secret':
      return prompts.askSecret(lineOf(question));
    case 'checkbox':
      return prompts.askYesNo(headOf(field), initial === true);
    case 'select':
    case 'radio':
      return askChoice(question, prompts);
    case 'multiselect':
      return askChoices(question, prompts);
    case 'file':
      return askFiles(question, prompts);
    default:
      return field.type satisfies never;
  }
}

/** Asks for paths, one per line, and uploads the files; no input keeps the earlier files. On an error it asks again. */
async function askFiles(question: FieldQuestion, prompts: Prompts): Promise<Json | undefined> {
  const { field, initial, check, give } = question;
  const before = listFiles(initial);
  const kept = before.length === 0 ? [] : [`empty keeps ${before.map(({ name }) => name).join(', ')}`];
  const hint = [field.multiple ? 'paths, one a line; an empty line ends them' : 'a path', ...kept].join('; ');
  for (let fault: string | undefined; ; ) {
    const message = [headOf(field, hint), fault].filter((words) => words !== undefined).join('\n');
    const typed = await (field.multiple ? prompts.askLines({ message }) : prompts.askText({ message }));
    const paths = typed.split('\n').flatMap((path) => (path.trim() === '' ? [] : [path.trim()]));
    if (paths.length === 0) return initial;
    try {
      const files: FileReference[] = [];
      for (const path of paths) files.push(await give(path));
      const value = field.multiple ? files : (files[0] as FileReference);
      fault = check(value);
      if (fault === undefined) return value;
    } catch (error) {
      fault = error instanceof Error ? error.message : String(error);
    }
  }
}

/** Examples of how values are typed. */
const samples: Partial<Record<Field['type'], string>> = {
  date: 'as in 2026-03-31',
  time: 'as in 09:30',
  datetime: 'as in 2026-03-31 09:30, in your time zone',
};

async function askTyped(question: FieldQuestion, prompts: Prompts): Promise<Json | undefined> {
  return readTyped(question, await prompts.askText(lineOf(question, samples[question.field.type])));
}

/** Asks for text in several lines, also for a one-line field whose initial value has several, so that they are not joined. */
async function askLines(question: FieldQuestion, prompts: Prompts): Promise<Json | undefined> {
  return readTyped(question, await prompts.askLines(lineOf(question, 'an empty line ends it')));
}

const hasLines = (question: FieldQuestion): boolean => findTypable(question).includes('\n');

function lineOf(question: FieldQuestion, sample?: string) {
  const { field, check } = question;
  return {
    message: headOf(field, sample),
    initial: findTypable(question),
    placeholder: field.placeholder,
    check: (text: string) => findTypedFault(field, text) ?? check(readTyped(question, text)),
  };
}

/** The initial text of the editor; empty if it has control characters, because it is sent as key presses (SEC5). */
function findTypable({ field, initial }: Pick<FieldQuestion, 'field' | 'initial'>): string {
  const text = field.type === 'secret' ? '' : writeTyped(field, initial);
  const plain = field.type === 'textarea' || field.type === 'text' ? text.replaceAll('\n', '') : text;
  return toLine(plain) === `${plain}\n` ? text : '';
}

/** Formats a value as a person would type it. */
function writeTyped({ type }: Field, value: Json | undefined): string {
  if (value === undefined || value === null) return '';
  return type === 'datetime' ? toLocalInput(String(value)).replace('T', ' ') : String(value);
}

/** Converts typed text to a value. Unchanged text keeps the initial value, as a date-time may have digits that are not shown. */
function readTyped(question: FieldQuestion, typed: string): Json {
  const { field, initial } = question;
  return initial !== undefined && typed !== '' && typed === findTypable(question) ? initial : parseTyped(field, typed);
}

/** Parses typed text. A number that is invalid or not exact stays text, which the check rejects; free text is not trimmed. */
function parseTyped({ type }: Field, typed: string): Json {
  const text = typed.trim();
  switch (type) {
    case 'text':
    case 'textarea':
    case 'secret':
      return typed;
    case 'number':
      return readNumber(text);
    case 'datetime':
      return fromLocalInput(toLocalForm(text));
    default:
      return text;
  }
}

const toLocalForm = (typed: string): string => typed.trim().replace(' ', 'T');

/** Checks a typed date-time. The value's own check would ask for a time zone, which people need not type here. */
function findTypedFault({ type }: Field, typed: string): string | undefined {
  if (type !== 'datetime' || typed.trim() === '') return undefined;
  const local = toLocalForm(typed);
  if (isSkippedTime(local)) return skippedTime;
  return /T.*([Zz]|[+-]\d\d:\d\d)$/.test(fromLocalInput(local))
    ? undefined
    : `Must be a date and time, ${samples.datetime}.`;
}

const other = Symbol('other');
const none = Symbol('none');

async function askChoice(question: FieldQuestion, prompts: Prompts): Promise<Json | undefined> {
  const { field, initial } = question;
  const choices: Choice<string | symbol>[] = [
    ...(field.required ? [] : [{ value: none, label: 'Leave it empty' }]),
    ...optionsOf(field),
  ];
  const start = choices.findIndex(({ value }) => value === (isRecord(initial) ? other : (initial ?? none)));
  const chosen = await prompts.choose(headOf(field), choices, Math.max(start, 0));
  if (typeof chosen === 'string') return chosen;
  return chosen === other ? askOther(question, initial, prompts) : undefined;
}

async function askChoices(question: FieldQuestion, prompts: Prompts): Promise<Json | undefined> {
  const { field, initial, check } = question;
  const known = Array.isArray(initial) ? initial : [];
  const choices: Choice<string | symbol>[] = optionsOf(field);
  const isChosen = ({ value }: Choice<string | symbol>) =>
    value === other ? known.some(isRecord) : known.includes(value as string);
  let start = choices.flatMap((choice, n) => (isChosen(choice) ? [n] : []));
  for (let fault: string | undefined; ; ) {
    const chosen = await prompts.chooseSeveral(
      fault === undefined ? headOf(field) : `${headOf(field)}\n${fault}`,
      choices,
      start,
    );
    const values: Json[] = chosen.filter((value) => typeof value === 'string');
    if (chosen.includes(other))
      values.push(await askOther({ ...question, check: () => undefined }, known.find(isRecord), prompts));
    fault = check(values);
    if (fault === undefined) return values;
    start = choices.flatMap(({ value }, n) => (chosen.includes(value) ? [n] : []));
  }
}

async function askOther({ field, check }: FieldQuestion, known: Json | undefined, prompts: Prompts): Promise<Json> {
  const text = await prompts.askText({
    message: `${labelOf(field)}: what else?`,
    initial: isRecord(known) ? findTypable({ field, initial: known.other }) : '',
    check: (typed) => (typed.trim() === '' ? 'Say which.' : check({ other: typed.trim() })),
  });
  return { other: text.trim() };
}

function optionsOf({ options = [], other: takesOther }: Field): Choice<string | symbol>[] {
  const offered = options.map(({ value, label, description }) => ({ value, label, hint: description }));
  return takesOther ? [...offered, { value: other, label: 'Something else', hint: undefined }] : offered;
}

/** The label, with what a person should know before answering. */
function headOf(field: Field, sample?: string): string {
  const { required, type, min, max, description } = field;
  const range = [min === undefined ? [] : [`from ${min}`], max === undefined ? [] : [`to ${max}`]].flat().join(' ');
  const isMust = required || type === 'checkbox';
  const facts = [
    isMust ? [] : ['may be left empty'],
    range === '' ? [] : [type === 'multiselect' || type === 'file' ? `choose ${range}` : range],
    sample ?? [],
  ].flat();
  const head = facts.length === 0 ? labelOf(field) : `${labelOf(field)} (${facts.join('; ')})`;
  return description === undefined ? head : `${head}\n${description}`;
}

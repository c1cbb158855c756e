import type { Json } from '../basics/json.ts';
import { findUnknownMembers } from '../basics/unknown-members.ts';
import { type Condition, type Field, type FormSchema, formSchema, labelOf } from './field.ts';
import { checkValues, type Matches } from './field-check.ts';

/** Lists the problems of a form from an author, each with its path; empty if there are none (PLG8). */
export function findFormFaults(form: unknown, matches: Matches): string[] {
  const unknown = findUnknownMembers(formSchema, form);
  if (unknown.length > 0) return unknown;
  const parsed = formSchema.safeParse(form);
  if (parsed.success) return findFieldFaults(parsed.data, matches);
  return parsed.error.issues.map(({ path, message }) => [path.join('.'), message].filter(Boolean).join(': '));
}

/** Lists problems of fields beyond their shape: constraints that would be ignored, or that no value can meet. */
export function findFieldFaults({ fields }: FormSchema, matches: Matches): string[] {
  return fields.flatMap((field, index) => faultsOf(field, index, fields, matches));
}

const textual = ['minLength', 'maxLength', 'pattern', 'format'] as const;
const choosing = ['options', 'other'] as const;
const filing = ['accept', 'maxBytes', 'multiple'] as const;
const constraints = [...textual, ...choosing, ...filing, 'min', 'max', 'moreThan', 'lessThan', 'step'] as const;
type Constraint = (typeof constraints)[number];

/** Constraints that each type of field checks; any other would be ignored. */
const constraintsOf: Record<Field['type'], readonly Constraint[]> = {
  text: textual,
  textarea: textual,
  secret: textual,
  number: ['min', 'max', 'moreThan', 'lessThan', 'step'],
  checkbox: [],
  select: [...choosing, ...textual],
  radio: [...choosing, ...textual],
  multiselect: [...choosing, ...textual, 'min', 'max'],
  date: ['min', 'max'],
  time: ['min', 'max'],
  datetime: ['min', 'max'],
  file: [...filing, 'min', 'max'],
};

function faultsOf(field: Field, index: number, fields: readonly Field[], matches: Matches): string[] {
  const at = (member: string) => `fields.${index}.${member}`;
  const checkAlone = (alone: Field, value: Json | undefined) => checkOne(alone, value, matches);
  const idle = constraints.filter((name) => field[name] !== undefined && !constraintsOf[field.type].includes(name));
  const faults = idle.map((name) => {
    const can = constraintsOf[field.type];
    const hint = can.length > 0 ? `, but ${can.join(', ')}` : '';
    return `${at(name)}: a field of type "${field.type}" has none${hint}`;
  });
  if (idle.length > 0) return faults;
  if (field.type === 'file') faults.push(...findFileFaults(field, at));
  if (faults.length > 0) return faults;
  const bounds = findBoundFaults(field, at, checkAlone);
  if (bounds.length > 0) return bounds;
  const wrong = checkAlone(withoutConditions(field), field.defaultValue);
  if (wrong !== undefined) faults.push(`${at('defaultValue')}: does not fit its field: ${wrong}`);
  const earlier = fields.find(({ id }) => id === field.when?.field);
  return field.when && earlier ? [...faults, ...findConditionFaults(field.when, earlier, at, checkAlone)] : faults;
}

const ranged: ReadonlySet<Field['type']> = new Set(['number', 'date', 'time', 'datetime']);

/** Reports a condition that no value of its field can meet: it would hide a field forever, or never (PLG8). */
function findConditionFaults(
  { equals, in: list = [], min, max }: Condition,
  earlier: Field,
  at: (member: string) => string,
  checkAlone: CheckAlone,
): string[] {
  const label = labelOf(earlier);
  const values = [
    ...(equals === undefined ? [] : [['when.equals', equals] as const]),
    ...list.map((value, index) => [`when.in.${index}`, value] as const),
  ];
  const impossible = values.flatMap(([name, value]) =>
    canEqual(earlier, value, checkAlone) ? [] : [`${at(name)}: ${JSON.stringify(value)} is not a value of "${label}"`],
  );
  const bounds = Object.entries({ min, max }).filter(([, value]) => value !== undefined);
  if (bounds.length > 0 && !ranged.has(earlier.type))
    return [`${at('when')}: "${label}" is of type "${earlier.type}", which has no range`];
  const wrong = bounds.flatMap(([name, value]) => {
    const fault = checkAlone({ id: earlier.id, type: earlier.type }, value);
    return fault === undefined ? [] : [`${at(`when.${name}`)}: is a value of "${label}": ${fault}`];
  });
  const isEmpty = wrong.length === 0 && min !== undefined && max !== undefined && isAbove(earlier.type, min, max);
  return [...impossible, ...wrong, ...(isEmpty ? [`${at('when.min')}: ${min} is above max, ${max}`] : [])];
}

/** Reports problems of file fields: they take no default value, and count files only if they take several. */
function findFileFaults({ multiple, defaultValue, ...field }: Field, at: (member: string) => string): string[] {
  const counts = (['min', 'max'] as const).filter((name) => field[name] !== undefined && !multiple);
  return [
    ...counts.map((name) => `${at(name)}: counts files: give it "multiple: true", too`),
    ...(defaultValue === undefined
      ? []
      : [`${at('defaultValue')}: a file has none; offer files of an earlier answer in "initialValues"`]),
  ];
}

type CheckAlone = (field: Field, value: Json | undefined) => string | undefined;

function findBoundFaults(
  { id, type, min, max, moreThan, lessThan, minLength, maxLength }: Field,
  at: (member: string) => string,
  checkAlone: CheckAlone,
) {
  const faults: string[] = [];
  const isCount = type === 'multiselect' || type === 'file';
  for (const [name, bound] of Object.entries({ min, max })) {
    const wrong = bound === undefined ? undefined : checkAlone({ id, type: isCount ? 'number' : type }, bound);
    if (wrong !== undefined)
      faults.push(
        `${at(name)}: ${isCount ? `counts ${type === 'file' ? 'files' : 'choices'}` : 'is a value of the field'}: ${wrong}`,
      );
  }
  if (faults.length === 0 && min !== undefined && max !== undefined && isAbove(type, min, max)) {
    faults.push(`${at('min')}: ${min} is above max, ${max}, so no value fits`);
  }
  if (moreThan !== undefined && lessThan !== undefined && moreThan >= lessThan) {
    faults.push(`${at('moreThan')}: ${moreThan} is not below lessThan, ${lessThan}, so no value fits`);
  }
  if (minLength !== undefined && maxLength !== undefined && minLength > maxLength) {
    faults.push(`${at('minLength')}: ${minLength} is above maxLength, ${maxLength}, so no text fits`);
  }
  return faults;
}

function isAbove(type: Field['type'], min: string | number, max: string | number): boolean {
  if (type === 'datetime') return Date.parse(String(min)) > Date.parse(String(max));
  return min > max;
}

/** Returns the field without its condition and requirement, to check which values it accepts. */
function withoutConditions({ when: _, required: __, ...field }: Field): Field {
  return field;
}

function checkOne(field: Field, value: Json | undefined, matches: Matches): string | undefined {
  return value === undefined
    ? undefined
    : checkValues({ type: 'form', fields: [field] }, { [field.id]: value }, matches)[field.id];
}

function canEqual(field: Field, value: string | number | boolean, checkAlone: CheckAlone): boolean {
  const plain = withoutConditions(field);
  if (field.type !== 'multiselect') return checkAlone(plain, value) === undefined;
  const { min: _, max: __, ...choices } = plain;
  return checkAlone(choices, [value]) === undefined;
}

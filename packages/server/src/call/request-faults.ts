import {
  checkValues,
  type Field,
  type FormSchema,
  findTemplateNames,
  type InteractionSpec,
  type Json,
  labelOf,
  suggestName,
} from '@parleyhq/core';
import { makeMatcher } from '../tools/pattern-matcher.ts';

/**
 * What is wrong with the members of a request that its author handed over, each with its path (PLG8). `spec` is the whole
 * request, inherited members included. Stored requests are not judged by this: they stay readable, whatever they say (EVT5).
 */
export function findRequestFaults(handed: object, spec: InteractionSpec): string[] {
  const has = (name: keyof InteractionSpec) => name in handed && Reflect.get(handed, name) !== undefined;
  const ids = spec.inputSchema?.fields.map(({ id }) => id) ?? [];
  const { initialValues = {}, fieldErrors = {}, completedView = {} } = spec;
  return [
    ...findMisplaced(spec.type, has),
    ...(has('inputSchema') ? (spec.inputSchema?.fields.flatMap(findFieldFaults) ?? []) : []),
    ...(has('initialValues') ? findStrangers('initialValues', initialValues, ids) : []),
    ...(has('fieldErrors') ? findStrangers('fieldErrors', fieldErrors, ids) : []),
    ...(has('completedView') ? findTemplateFaults(completedView.summaryTemplate ?? '', ids) : []),
  ];
}

const placeOf = { inputSchema: 'input', initialValues: 'input', fieldErrors: 'input', url: 'url' } as const;
const approvalOnly = ['approvalScopes', 'editable'] as const;

/** A form on an approval would be shown to nobody. */
function findMisplaced(type: InteractionSpec['type'], has: (name: keyof InteractionSpec) => boolean): string[] {
  const places = [...Object.entries(placeOf), ...approvalOnly.map((name) => [name, 'approval'] as const)];
  return places.flatMap(([name, place]) => {
    if (place === type || !has(name as keyof InteractionSpec)) return [];
    return [`${name}: only a request of type "${place}" has one, and this is of type "${type}"`];
  });
}

function findStrangers(name: string, values: object, ids: readonly string[]): string[] {
  return Object.keys(values).flatMap((id) =>
    ids.includes(id) ? [] : [`${name}: the form has no field "${id}".${suggestName(id, ids)}`],
  );
}

function findTemplateFaults(template: string, ids: readonly string[]): string[] {
  const known = ['action', 'scope', 'reason', 'by', ...ids.map((id) => `input.${id}`)];
  return findTemplateNames(template).flatMap((name) =>
    known.includes(name)
      ? []
      : [
          `completedView.summaryTemplate: there is no {{${name}}}.${suggestName(name, known) || ` Known: ${known.join(', ')}.`}`,
        ],
  );
}

const textual = ['minLength', 'maxLength', 'pattern', 'format'] as const;
const choosing = ['options', 'other'] as const;
const constraints = [...textual, ...choosing, 'min', 'max', 'step'] as const;
type Constraint = (typeof constraints)[number];

/** What each type of field is checked by. Another constraint would be kept by nobody. */
const constraintsOf: Record<Field['type'], readonly Constraint[]> = {
  text: textual,
  textarea: textual,
  secret: textual,
  number: ['min', 'max', 'step'],
  checkbox: [],
  select: [...choosing, ...textual],
  radio: [...choosing, ...textual],
  multiselect: [...choosing, ...textual, 'min', 'max'],
  date: ['min', 'max'],
  time: ['min', 'max'],
  datetime: ['min', 'max'],
};

function findFieldFaults(field: Field, index: number, fields: readonly Field[]): string[] {
  const at = (member: string) => `inputSchema.fields.${index}.${member}`;
  const idle = constraints.filter((name) => field[name] !== undefined && !constraintsOf[field.type].includes(name));
  const faults = idle.map((name) => {
    const can = constraintsOf[field.type];
    const hint = can.length > 0 ? `, but ${can.join(', ')}` : '';
    return `${at(name)}: a field of type "${field.type}" has none${hint}`;
  });
  if (idle.length > 0) return faults;
  const bounds = findBoundFaults(field, at);
  if (bounds.length > 0) return bounds;
  const wrong = checkAlone(withoutConditions(field), field.defaultValue);
  if (wrong !== undefined) faults.push(`${at('defaultValue')}: does not fit its field: ${wrong}`);
  const earlier = fields.find(({ id }) => id === field.when?.field);
  if (field.when && earlier && !canEqual(earlier, field.when.equals)) {
    faults.push(`${at('when.equals')}: ${JSON.stringify(field.when.equals)} is no value of "${labelOf(earlier)}"`);
  }
  return faults;
}

function findBoundFaults({ id, type, min, max, minLength, maxLength }: Field, at: (member: string) => string) {
  const faults: string[] = [];
  const isCount = type === 'multiselect';
  for (const [name, bound] of Object.entries({ min, max })) {
    const wrong = bound === undefined ? undefined : checkAlone({ id, type: isCount ? 'number' : type }, bound);
    if (wrong !== undefined)
      faults.push(`${at(name)}: ${isCount ? 'counts choices' : 'is a value of the field'}: ${wrong}`);
  }
  if (faults.length === 0 && min !== undefined && max !== undefined && isAbove(type, min, max)) {
    faults.push(`${at('min')}: ${min} is above max, ${max}, so no value fits`);
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

/** The field as if it stood alone and might stay empty: what remains says which values it takes. */
function withoutConditions({ when: _, required: __, ...field }: Field): Field {
  return field;
}

function checkAlone(field: Field, value: Json | undefined): string | undefined {
  if (value === undefined) return undefined;
  const form: FormSchema = { type: 'form', fields: [field] };
  return checkValues(
    form,
    { [field.id]: value },
    makeMatcher(() => undefined),
  )[field.id];
}

function canEqual(field: Field, value: string | number | boolean): boolean {
  const plain = withoutConditions(field);
  if (field.type !== 'multiselect') return checkAlone(plain, value) === undefined;
  const { min: _, max: __, ...choices } = plain;
  return checkAlone(choices, [value]) === undefined;
}

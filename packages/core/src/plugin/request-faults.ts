import { suggestName } from '../basics/near-name.ts';
import type { Matches } from '../form/field-check.ts';
import { findFieldFaults } from '../form/form-faults.ts';
import { findTemplateNames, type InteractionSpec } from '../prompt/interaction.ts';

/**
 * What is wrong with the members of a request that its author handed over, each with its path (PLG8). `spec` is the whole
 * request, inherited members included. Stored requests are not judged by this: they stay readable, whatever they say (EVT5).
 */
export function findRequestFaults(handed: object, spec: InteractionSpec, matches: Matches): string[] {
  const has = (name: keyof InteractionSpec) => name in handed && Reflect.get(handed, name) !== undefined;
  const ids = spec.inputSchema?.fields.map(({ id }) => id) ?? [];
  const { inputSchema, initialValues = {}, fieldErrors = {}, completedView = {} } = spec;
  return [
    ...findWrongSignal(handed),
    ...findMisplaced(spec.type, has),
    ...(has('reasonRequired') ? findUnanswerable(spec) : []),
    ...(has('inputSchema') && inputSchema
      ? findFieldFaults(inputSchema, matches).map((fault) => `inputSchema.${fault}`)
      : []),
    ...(has('initialValues') ? findStrangers('initialValues', initialValues, ids) : []),
    ...(has('fieldErrors') ? findStrangers('fieldErrors', fieldErrors, ids) : []),
    ...(has('completedView') ? findTemplateFaults(completedView.summaryTemplate ?? '', ids) : []),
  ];
}

function findWrongSignal(handed: object): string[] {
  const signal: unknown = Reflect.get(handed, 'signal');
  return signal === undefined || signal instanceof AbortSignal ? [] : ['signal: must be an AbortSignal'];
}

const placeOf = {
  inputSchema: 'input',
  initialValues: 'input',
  fieldErrors: 'input',
  url: 'url',
  actions: 'input',
} as const;
const approvalOnly = ['approvalScopes', 'editable', 'editPath', 'decide'] as const;
const places = [...Object.entries(placeOf), ...approvalOnly.map((name) => [name, 'approval'] as const)];

/** A form on an approval would be shown to nobody. */
function findMisplaced(type: InteractionSpec['type'], has: (name: keyof InteractionSpec) => boolean): string[] {
  return places.flatMap(([name, place]) => {
    if (place === type || !has(name as keyof InteractionSpec)) return [];
    return [`${name}: only a request of type "${place}" has one, and this is of type "${type}"`];
  });
}

/** What says why is a field of its own in a form: only a yes and a no have a reason beside them (TEAM5). */
function findUnanswerable({ type, reasonRequired = [] }: InteractionSpec): string[] {
  if (type === 'input') return ['reasonRequired: a form has no reason beside it: give it a field for that'];
  return reasonRequired.includes('submit') ? [`reasonRequired: nobody submits a request of type "${type}"`] : [];
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

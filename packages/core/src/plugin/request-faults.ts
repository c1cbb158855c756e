import { suggestName } from '../basics/near-name.ts';
import type { Matches } from '../form/field-check.ts';
import { findFieldFaults } from '../form/form-faults.ts';
import { findTemplateNames, type InteractionSpec } from '../prompt/interaction.ts';

/**
 * Lists problems with the members that an author passed in a request, each with its path (PLG8). `spec` is the whole request,
 * including inherited members. Not applied to stored requests, which must stay readable (EVT5).
 */
export function findRequestFaults(handed: object, spec: InteractionSpec, matches: Matches): string[] {
  const has = (name: keyof InteractionSpec) => name in handed && Reflect.get(handed, name) !== undefined;
  const ids = spec.inputSchema?.fields.map(({ id }) => id) ?? [];
  const { inputSchema, initialValues = {}, fieldErrors = {}, completedView = {} } = spec;
  return [
    ...findWrongSignal(handed),
    ...findMisplaced(spec.type, has),
    ...(has('reasonRequired') ? findUnanswerable(spec) : []),
    ...(has('wordsOnlyWithDenial') && spec.type === 'input'
      ? ['wordsOnlyWithDenial: a form has no denial, and its answer is passed on']
      : []),
    ...(has('inputSchema') && inputSchema
      ? findFieldFaults(inputSchema, matches).map((fault) => `inputSchema.${fault}`)
      : []),
    ...(has('initialValues') ? findUnknownFields('initialValues', initialValues, ids) : []),
    ...(has('fieldErrors') ? findUnknownFields('fieldErrors', fieldErrors, ids) : []),
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
  consents: 'input',
} as const;
const approvalOnly = ['approvalScopes', 'editable', 'editPath', 'decide'] as const;
const places = [...Object.entries(placeOf), ...approvalOnly.map((name) => [name, 'approval'] as const)];

/** Reports members that belong to another type of request, such as a form on an approval: they would never be shown. */
function findMisplaced(type: InteractionSpec['type'], has: (name: keyof InteractionSpec) => boolean): string[] {
  return places.flatMap(([name, place]) => {
    if (place === type || !has(name as keyof InteractionSpec)) return [];
    return [`${name}: only a request of type "${place}" has one, and this is of type "${type}"`];
  });
}

/** Reports a required reason that nobody could give: only approvals and denials have one; a form needs a field for it (TEAM5). */
function findUnanswerable({ type, reasonRequired = [] }: InteractionSpec): string[] {
  if (type === 'input') return ['reasonRequired: a form has no separate reason: give it a field for that'];
  return reasonRequired.includes('submit') ? [`reasonRequired: nobody submits a request of type "${type}"`] : [];
}

function findUnknownFields(name: string, values: object, ids: readonly string[]): string[] {
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

import { isRecord, type Json, type JsonSchema } from '../basics/json.ts';
import { followReference } from '../schema/reference.ts';
import type { FormSchema, FormValues } from './field.ts';
import { fromFormValues } from './form-answer.ts';
import { findFormFaults } from './form-faults.ts';
import { formFromSchema } from './form-from-schema.ts';
import { type Property, propertiesOf, withoutNull } from './schema-property.ts';

/** A server's question as a Parley form, and the way back to the server's schema. */
export interface ElicitationForm {
  readonly form: FormSchema;
  /** Converts the submitted values to those of the server's schema. */
  read(input: FormValues): Record<string, string | number | boolean | string[]>;
}

/**
 * Converts a server's schema to a form.
 * @throws TypeError naming a property that no form can show, or that looks like a secret, which would be stored in the log
 */
export function makeForm(schema: unknown): ElicitationForm {
  const whole = isRecord(schema) ? followReference(schema, schema) : undefined;
  if (!whole || !isRecord(whole.properties)) throw new TypeError('it has no properties');
  const properties = propertiesOf(whole);
  for (const [name, property] of Object.entries(properties)) requireNoSecret(name, withoutNull(property));
  const names = Object.keys(whole.properties);
  const listed = new Set(Array.isArray(whole.required) ? whole.required : []);
  const required = names.filter((name) => listed.has(name));
  const labelled = Object.fromEntries(names.map((name) => [name, withLabel(properties[name], name)]));
  const asked: JsonSchema = { type: 'object', properties: labelled, required };
  const form = withoutInvalidDefaults(asTexts(formOf(asked)));
  const [fault] = findFormFaults(form, () => false);
  if (fault !== undefined) throw new TypeError(unshown(fault));
  return {
    form,
    read(input) {
      const boxes = form.fields.filter(({ type }) => type === 'checkbox').map(({ id }) => [id, false] as const);
      const values = fromFormValues(asked, { ...Object.fromEntries(boxes), ...input }); // an untouched checkbox is false
      // the protocol does not allow null
      return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== null)) as never;
    },
  };
}

function formOf(schema: JsonSchema): FormSchema {
  try {
    return formFromSchema(schema);
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    throw new TypeError(unshown(error.message));
  }
}

function unshown(reason: string): string {
  return `its form cannot be shown: ${reason.replace(/\.$/, '')}`;
}

/** Leaves out default values that are invalid, and those of fields with a pattern, because a server's pattern is not run here. */
function withoutInvalidDefaults(form: FormSchema): FormSchema {
  const fields = form.fields.map((field) => {
    const { defaultValue: _, ...bare } = field;
    return findFormFaults({ type: 'form', fields: [field] }, () => false).length > 0 ? bare : field;
  });
  return { ...form, fields };
}

function withLabel(property: Property | undefined, name: string): Json {
  if (!property) throw new TypeError(`"${name}" has no schema`);
  const { secret: _, multiline: __, ...rest } = property as Record<string, Json>;
  const { title } = withoutNull(property);
  return { ...rest, title: typeof title === 'string' ? title : name };
}

/** Turns secret and multi-line fields into plain text fields: a server's schema must not produce fields that hide their text. */
function asTexts(form: FormSchema): FormSchema {
  const fields = form.fields.map((field) => {
    const isOurs = field.type === 'secret' || field.type === 'textarea';
    return isOurs ? { ...field, type: 'text' as const } : field;
  });
  return { ...form, fields };
}

/** Words that name secrets. The specification requires servers to ask for those at an address of their own. */
const secret =
  /pass(word|phrase|code|wd)|secret|api[-_ ]?key|(access|auth|bearer|refresh|session)[-_ ]?token|^token$|private[-_ ]?key|credential|card[-_ ]?number|\bcvv\b|\bcvc\b|^pin$/i;

function requireNoSecret(name: string, { title, type, format, writeOnly }: Readonly<Record<string, unknown>>): void {
  if (type !== 'string' && type !== 'number' && type !== 'integer') return;
  const words = [name.replace(/([a-z])([A-Z])/g, '$1_$2'), typeof title === 'string' ? title : ''];
  const isSecret = format === 'password' || writeOnly === true || words.some((each) => secret.test(each));
  if (isSecret) throw new TypeError(`"${name}" looks like a secret`);
}

import {
  type FormSchema,
  type FormValues,
  findFormFaults,
  followReference,
  formFromSchema,
  fromFormValues,
  isRecord,
  type Json,
  type JsonSchema,
  type Property,
  propertiesOf,
  withoutNull,
} from '@parleyhq/core';

/** What a server asks for, as a form of ours and back. */
export interface ElicitationForm {
  readonly form: FormSchema;
  /** What was filled in, as the server's schema has it. */
  read(input: FormValues): Record<string, string | number | boolean | string[]>;
}

/**
 * @throws TypeError naming what no form can show, or what a server must not ask for in a form: a secret would be kept in the log
 */
export function makeForm(schema: unknown): ElicitationForm {
  const whole = isRecord(schema) ? followReference(schema, schema) : undefined;
  if (!whole || !isRecord(whole.properties)) throw new TypeError('it has no properties');
  const properties = propertiesOf(whole);
  for (const [name, property] of Object.entries(properties)) requireNoSecret(name, withoutNull(property));
  const names = Object.keys(whole.properties);
  const required = (Array.isArray(whole.required) ? whole.required : []).filter((name) => names.includes(name));
  const labelled = Object.fromEntries(names.map((name) => [name, withLabel(properties[name], name)]));
  const asked: JsonSchema = { type: 'object', properties: labelled, required };
  const form = withoutMisfits(asTexts(formOf(asked)));
  const [fault] = findFormFaults(form, () => false);
  if (fault !== undefined) throw new TypeError(unshown(fault));
  return {
    form,
    read(input) {
      const boxes = form.fields.filter(({ type }) => type === 'checkbox').map(({ id }) => [id, false] as const);
      const values = fromFormValues(asked, { ...Object.fromEntries(boxes), ...input }); // a box that nobody touched is a no
      return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== null)) as never; // the protocol has none
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

/** A default that does not fit its field is left out; that of a field with a pattern, too, which is not run on a server's word. */
function withoutMisfits(form: FormSchema): FormSchema {
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

/** Fields of ours that a server's schema must not reach, however it writes them: a secret is typed for a tool of ours alone. */
function asTexts(form: FormSchema): FormSchema {
  const fields = form.fields.map((field) => {
    const isOurs = field.type === 'secret' || field.type === 'textarea';
    return isOurs ? { ...field, type: 'text' as const } : field;
  });
  return { ...form, fields };
}

/** Words for what is kept from others. The specification sends a server to an address of its own for it. */
const secret =
  /pass(word|phrase|code|wd)|secret|api[-_ ]?key|(access|auth|bearer|refresh|session)[-_ ]?token|^token$|private[-_ ]?key|credential|card[-_ ]?number|\bcvv\b|\bcvc\b|^pin$/i;

function requireNoSecret(name: string, { title, type, format, writeOnly }: Readonly<Record<string, unknown>>): void {
  if (type !== 'string' && type !== 'number' && type !== 'integer') return;
  const words = [name.replace(/([a-z])([A-Z])/g, '$1_$2'), typeof title === 'string' ? title : ''];
  const isSecret = format === 'password' || writeOnly === true || words.some((each) => secret.test(each));
  if (isSecret) throw new TypeError(`"${name}" looks like a secret`);
}

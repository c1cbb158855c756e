import {
  type FormSchema,
  type FormValues,
  findFormFaults,
  formFromSchema,
  fromFormValues,
  isRecord,
  type Json,
  type JsonSchema,
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
  if (!isRecord(schema) || !isRecord(schema.properties)) throw new TypeError('it has no properties');
  const names = Object.keys(schema.properties);
  const required = (Array.isArray(schema.required) ? schema.required : []).filter((name) => names.includes(name));
  const labelled = Object.fromEntries(
    Object.entries(schema.properties).map(([name, each]) => [name, withLabel(each, name)]),
  );
  const asked: JsonSchema = { ...schema, type: 'object', properties: labelled, required };
  for (const [name, property] of Object.entries(propertiesOf(asked))) requireNoSecret(name, withoutNull(property));
  const form = withoutMisfits(asTexts(formFromSchema(asked)));
  const [fault] = findFormFaults(form, () => false);
  if (fault !== undefined) throw new TypeError(`its form cannot be shown: ${fault}`);
  return {
    form,
    read(input) {
      const boxes = form.fields.filter(({ type }) => type === 'checkbox').map(({ id }) => [id, false] as const);
      const values = fromFormValues(asked, { ...Object.fromEntries(boxes), ...input }); // a box that nobody touched is a no
      return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== null)) as never; // the protocol has none
    },
  };
}

/** A default that does not fit its field is left out; that of a field with a pattern, too, which is not run on a server's word. */
function withoutMisfits(form: FormSchema): FormSchema {
  const fields = form.fields.map((field) => {
    const { defaultValue: _, ...bare } = field;
    return findFormFaults({ type: 'form', fields: [field] }, () => false).length > 0 ? bare : field;
  });
  return { ...form, fields };
}

function withLabel(property: unknown, name: string): Json {
  if (!isRecord(property)) throw new TypeError(`"${name}" has no schema`);
  const { title, ...rest } = property as Record<string, Json>;
  return { ...rest, title: typeof title === 'string' ? title : name };
}

/** Fields of ours that a server's schema must not reach: a secret is typed for a tool of ours alone. */
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

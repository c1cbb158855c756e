import {
  type FormSchema,
  type FormValues,
  formFromSchema,
  isFieldId,
  isRecord,
  type Json,
  type JsonSchema,
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
  const { properties } = schema;
  const names = Object.keys(properties);
  for (const name of names) requireNoSecret(name, properties[name]);
  const ids = new Map(names.map((name, index) => [isFieldId(name) ? name : `field${index}`, name]));
  if (ids.size < names.length) throw new TypeError('two of its properties cannot be told apart');
  const renamed = [...ids].map(([id, name]) => [id, withLabel(properties[name], name)]);
  const required = (Array.isArray(schema.required) ? schema.required : []).flatMap((name) => idOf(ids, name));
  const form = formFromSchema({ type: 'object', properties: Object.fromEntries(renamed), required } as JsonSchema);
  return {
    form,
    read(input) {
      const boxes = form.fields.filter(({ type }) => type === 'checkbox').map(({ id }) => [id, false] as const);
      const given = { ...Object.fromEntries(boxes), ...input }; // a box that nobody touched is a no
      return Object.fromEntries(Object.entries(given).map(([id, value]) => [ids.get(id) ?? id, value as never]));
    },
  };
}

/** Fields of ours have members that a server's schema must not reach: a secret is typed for a tool of ours alone. */
function withLabel(property: unknown, name: string): Json {
  if (!isRecord(property)) throw new TypeError(`"${name}" has no schema`);
  const { secret: _, multiline: __, ...rest } = property as Record<string, Json>;
  return { title: name, ...rest } as Json;
}

function idOf(ids: ReadonlyMap<string, string>, name: unknown): string[] {
  const found = [...ids].find(([, each]) => each === name);
  return found ? [found[0]] : [];
}

/** Words for what is kept from others. The specification sends a server to an address of its own for it. */
const secret =
  /pass(word|phrase|code|wd)|secret|api[-_ ]?key|(access|auth|bearer|refresh|session)[-_ ]?token|^token$|private[-_ ]?key|credential|card[-_ ]?number|\bcvv\b|\bcvc\b|^pin$/i;

function requireNoSecret(name: string, property: unknown): void {
  const { title, type } = isRecord(property) ? property : {};
  if (type !== 'string' && type !== 'number' && type !== 'integer') return;
  const words = [name.replace(/([a-z])([A-Z])/g, '$1_$2'), typeof title === 'string' ? title : ''];
  if (words.some((each) => secret.test(each))) throw new TypeError(`"${name}" looks like a secret`);
}

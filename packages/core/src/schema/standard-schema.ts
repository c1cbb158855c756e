import type { JsonSchema } from '../basics/json.ts';

/** A validation issue. `path` leads to the invalid value; a step may be a name, an index, or an object with that as its `key`. */
export interface SchemaIssue {
  readonly message: string;
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined;
}

export type SchemaResult<Output> =
  | { readonly value: Output; readonly issues?: undefined }
  | { readonly issues: readonly SchemaIssue[] };

/** A schema of any library that implements Standard Schema 1 (zod, valibot, arktype): https://standardschema.dev */
export interface StandardSchema<Input = unknown, Output = Input> {
  readonly '~standard': {
    readonly version: 1;
    readonly vendor: string;
    readonly types?: { readonly input: Input; readonly output: Output } | undefined;
    readonly validate: (value: unknown) => SchemaResult<Output> | Promise<SchemaResult<Output>>;
  };
}

/** `{ name: z.string() }`: the members of an object that accepts no others (PLG8). They are zod schemas. */
export type RawShape = { readonly [name: string]: StandardSchema };

/** A schema as authors may write it: Standard Schema with a JSON Schema, a raw shape, or JSON Schema (PLG9). */
export type Parameters = StandardSchema | RawShape | JsonSchema;

type OutputOf<S extends StandardSchema> = NonNullable<S['~standard']['types']>['output'];

type MayBeAbsent<S extends RawShape> = {
  [K in keyof S]: undefined extends OutputOf<S[K]> ? K : never;
}[keyof S];

type ShapeOutput<S extends RawShape> = { [K in Exclude<keyof S, MayBeAbsent<S>>]: OutputOf<S[K]> } & {
  [K in MayBeAbsent<S>]?: OutputOf<S[K]>;
};

/** The output type of a schema. JSON Schema has no types. */
export type ValuesOf<P> = P extends StandardSchema
  ? OutputOf<P>
  : P extends RawShape
    ? ShapeOutput<P>
    : Record<string, unknown>;

/** The input type of a schema, before defaults and transforms. */
export type InputOf<P> = P extends StandardSchema
  ? NonNullable<P['~standard']['types']>['input']
  : P extends RawShape
    ? { [K in keyof P]?: NonNullable<P[K]['~standard']['types']>['input'] }
    : Record<string, unknown>;

/** A schema both as a validator and as the JSON Schema that forms and agents read. */
export interface ReadSchema<Output = unknown> {
  readonly schema: StandardSchema<unknown, Output>;
  readonly jsonSchema: JsonSchema;
}

/** Returns the names that lead to the invalid value. Libraries use lists of names, of objects, or other iterables. */
export function pathOf({ path = [] }: SchemaIssue): string[] {
  return Array.from(path, (part) => String(typeof part === 'object' ? part.key : part));
}

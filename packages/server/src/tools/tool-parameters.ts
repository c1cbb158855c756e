import type { JsonSchema, Parameters } from '@parleyhq/core';
import * as z from 'zod';

/** The part of a Standard Schema that checks values; zod and its kin all have it. */
export interface Standard {
  readonly '~standard': {
    validate(value: unknown): StandardResult | Promise<StandardResult>;
  };
}

interface StandardResult {
  readonly value?: unknown;
  readonly issues?: readonly Issue[] | undefined;
}

export interface Issue {
  readonly message: string;
  readonly path?: readonly unknown[] | undefined;
}

export interface ReadParameters {
  readonly schema: Standard;
  readonly jsonSchema: JsonSchema;
}

/** Parameters as a check and as JSON Schema, whichever of the two its author wrote. */
export function readParameters(parameters: Parameters | undefined, place: string): ReadParameters {
  try {
    if (parameters && '~standard' in parameters) {
      const jsonSchema = '_zod' in parameters ? z.toJSONSchema(parameters as z.core.$ZodType, { io: 'input' }) : {};
      return { schema: parameters as Standard, jsonSchema };
    }
    const jsonSchema: JsonSchema = { type: 'object', ...parameters }; // arguments are an object, whether said or not
    const options = 'definitions' in jsonSchema ? ({ defaultTarget: 'draft-7' } as const) : {}; // where `$defs` had its old name
    return { schema: z.fromJSONSchema(jsonSchema as z.core.JSONSchema.JSONSchema, options), jsonSchema };
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new Error(`${place} has parameters that cannot be read: ${reason}`, { cause });
  }
}

/** A schema's message without the words that say nothing. */
export function readableOf(message: string): string {
  return message.replace(/^Invalid input: /, '');
}

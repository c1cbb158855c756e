import { type Field, file } from '@parleyhq/core';
import * as z from 'zod';

/** The type of field that each schema becomes. */
export const fields: readonly [schema: z.core.$ZodType, type: Field['type']][] = [
  [z.string(), 'text'], // z.email() and z.url() as well, with their format
  [z.string().meta({ multiline: true }), 'textarea'],
  [z.string().meta({ secret: true }), 'secret'],
  [z.number(), 'number'], // z.int() in steps of 1
  [z.boolean(), 'checkbox'], // z.literal(true) is one that must be ticked
  [z.enum(['S', 'M', 'L']), 'radio'], // up to five choices
  [z.enum(['1', '2', '3', '4', '5', '6']), 'select'], // more than five
  [z.literal([1, 2, 3]), 'radio'], // read as numbers
  [z.array(z.enum(['tea', 'milk'])), 'multiselect'], // .min(1) requires at least one
  [z.iso.date(), 'date'],
  [z.iso.time(), 'time'],
  [z.iso.datetime(), 'datetime'], // read in UTC; { offset: true } keeps the offset
  [file(), 'file'], // z.array(file()) accepts several
];

/** The claims of the comments above. */
export const notes: readonly [schema: z.core.$ZodType, field: Partial<Field>][] = [
  [z.email(), { type: 'text', format: 'email' }],
  [z.url(), { type: 'text', format: 'uri' }],
  [z.int(), { type: 'number', step: 1 }],
  [z.literal(true), { type: 'checkbox', required: true }],
  [z.enum(['1', '2', '3', '4', '5']), { type: 'radio' }],
  [z.array(file()), { type: 'file', multiple: true }],
];

export const formWith = (field: z.core.$ZodType) => z.object({ field });

import type { Field } from './field.ts';

type Range = Pick<Field, 'min' | 'max' | 'step' | 'moreThan' | 'lessThan'>;

/**
 * Converts the range of a number in JSON Schema to a field's. A field counts steps from `min`, JSON Schema from 0, so with steps
 * `min` and `max` become the first and last multiple in the range.
 */
export function numberRange(schema: Record<string, unknown>): Range {
  const step = stepOf(schema);
  const least = boundOf(schema.minimum);
  const most = boundOf(schema.maximum);
  const above = boundOf(schema.exclusiveMinimum);
  const below = boundOf(schema.exclusiveMaximum);
  if (step === undefined) {
    return {
      ...(least !== undefined && { min: least }),
      ...(most !== undefined && { max: most }),
      ...(above !== undefined && { moreThan: above }),
      ...(below !== undefined && { lessThan: below }),
    };
  }
  const { ceil, floor } = Math;
  const stepAt = (bound: number | undefined, count: (steps: number) => number) =>
    bound === undefined ? [] : [count(clean(bound / step))];
  const firsts = [...stepAt(least, ceil), ...stepAt(above, (steps) => floor(steps) + 1)];
  const lasts = [...stepAt(most, floor), ...stepAt(below, (steps) => ceil(steps) - 1)];
  return {
    step,
    ...(firsts.length > 0 && { min: clean(Math.max(...firsts) * step) }),
    ...(lasts.length > 0 && { max: clean(Math.min(...lasts) * step) }),
  };
}

/** Returns the step: 1 for integers unless `multipleOf` is a larger integer; the schema checks any other multiple. */
function stepOf({ type, multipleOf }: Record<string, unknown>): number | undefined {
  const multiple = typeof multipleOf === 'number' && multipleOf > 0 ? multipleOf : undefined;
  if (type !== 'integer') return multiple;
  return multiple !== undefined && Number.isInteger(multiple) ? multiple : 1;
}

/** Drops bounds at or beyond the safe integers, because they exclude nothing. */
function boundOf(bound: unknown): number | undefined {
  return typeof bound === 'number' && Math.abs(bound) < Number.MAX_SAFE_INTEGER ? bound : undefined;
}

/** Removes binary rounding errors: 0.3 / 0.1 becomes 3. */
function clean(value: number): number {
  return Number.isInteger(value) ? value : Number(value.toPrecision(15));
}

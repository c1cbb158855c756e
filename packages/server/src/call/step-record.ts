import { isRecord, type Json } from '@parleyhq/core';

/** A step that began and whose end nobody has recorded. */
export const running = { running: true } as const;

export const stepPrefix = 'step:';

/** Whether a record leaves open what a step did: it may have happened, and there is no value to go on with (DUR4, INT17). */
export function isOpenStep(key: string, record: Json): boolean {
  return key.startsWith(stepPrefix) && isRecord(record) && !('value' in record);
}

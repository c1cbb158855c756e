import { isRecord, type Json } from '@parleyhq/core';

/** Record of a step that has begun and not ended. */
export const running = { running: true } as const;

export const stepPrefix = 'step:';

/** Whether a step's outcome is unknown: it may have happened, and there is no value to continue with (DUR4, INT17). */
export function isOpenStep(key: string, record: Json): boolean {
  return key.startsWith(stepPrefix) && isRecord(record) && !('value' in record);
}

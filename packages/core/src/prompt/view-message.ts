import { isJson, isRecord } from '../basics/json.ts';
import type { FormValues } from '../form/field.ts';
import type { ShownView } from './view.ts';

/** Returns the path of a view's page on the server. */
export function pathOfView({ plugin, name }: Pick<ShownView, 'plugin' | 'name'>): string {
  return `/views/${encodeURIComponent(plugin)}/${encodeURIComponent(name)}`;
}

/** A message from a view to the page around it. */
export type ViewMessage =
  | { readonly type: 'ready' }
  | { readonly type: 'propose'; readonly values: FormValues }
  | { readonly type: 'resize'; readonly height: number };

/**
 * Validates a message from a view; undefined for anything else. Avoids a schema, which would be far larger.
 * @throws RangeError for a circular value
 */
export function readViewMessage(said: unknown): ViewMessage | undefined {
  if (!isRecord(said)) return undefined;
  const { type, values, height } = said;
  if (type === 'ready') return { type };
  if (type === 'resize' && typeof height === 'number') return { type, height };
  if (type === 'propose' && isRecord(values) && !Array.isArray(values) && isJson(values))
    return { type, values: values as FormValues };
  return undefined;
}

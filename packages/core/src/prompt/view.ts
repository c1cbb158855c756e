import * as z from 'zod/mini';
import { isJson, isRecord, type Json } from '../basics/json.ts';
import { jsonValue } from '../basics/json-value.ts';
import type { FormValues } from '../form/field.ts';
import type { FieldErrors } from '../form/field-check.ts';

/** A page of a plugin that shows a request in a frame without power or network, and may propose values for its form (PLG10). */
export interface View {
  /** An HTML file: its absolute path or its `file:` address. It is read when the plugin is loaded. */
  readonly entry?: string | URL;
  /** The page itself, in place of a file. */
  readonly html?: string;
  /** In CSS pixels, until the page asks for another. */
  readonly height?: number;
}

/** Heights of a view in CSS pixels: it never pushes the buttons far away. */
export const viewHeight = { least: 40, usual: 240, most: 640 } as const;

/** In characters of the page, and of its data as JSON. */
export const maxViewLength = 1024 * 1024;
export const maxViewData = 256 * 1024;

/** A view as a request names it. */
export const askedViewSchema = z.object({ name: z.string(), data: z.optional(jsonValue) });

/** A view as stored and sent: the plugin that it is of, and its first height. */
export const viewSchema = z.object({
  plugin: z.string(),
  name: z.string(),
  data: z.optional(jsonValue),
  height: z.optional(z.number()),
});
export type ShownView = z.infer<typeof viewSchema>;

/** The path of a view's page on the server. */
export function pathOfView({ plugin, name }: Pick<ShownView, 'plugin' | 'name'>): string {
  return `/views/${encodeURIComponent(plugin)}/${encodeURIComponent(name)}`;
}

/** What a view may say to the page around it. */
export type ViewMessage =
  | { readonly type: 'ready' }
  | { readonly type: 'propose'; readonly values: FormValues }
  | { readonly type: 'resize'; readonly height: number };

/** What a view said; undefined for anything else. Without a schema, for every page loads this. @throws RangeError for a value without an end */
export function readViewMessage(said: unknown): ViewMessage | undefined {
  if (!isRecord(said)) return undefined;
  const { type, values, height } = said;
  if (type === 'ready') return { type };
  if (type === 'resize' && typeof height === 'number') return { type, height };
  if (type === 'propose' && isRecord(values) && !Array.isArray(values) && isJson(values))
    return { type, values: values as FormValues };
  return undefined;
}

/** What a view is shown: at first, and whenever something of it changes. */
export interface ViewContent<Data = Json> {
  /** The `data` of the request. */
  readonly data: Data;
  /** What the form holds, without secrets. */
  readonly values: FormValues;
  readonly fieldErrors: FieldErrors;
  readonly theme: 'light' | 'dark';
  /** Nobody can answer here now. */
  readonly isDisabled: boolean;
}

/** `parley`, which every page of a view has before its own scripts run. */
export interface ParleyView<Data = Json> {
  /** Calls back at once with what is to be shown, and whenever it changes. */
  onShow(show: (content: ViewContent<Data>) => void): void;
  /** Proposes values for fields of the form. A person submits them, or does not. */
  propose(values: FormValues): void;
  /** Asks for a height in CSS pixels. */
  resize(height: number): void;
}

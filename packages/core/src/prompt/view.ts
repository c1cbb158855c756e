import * as z from 'zod/mini';
import type { Json } from '../basics/json.ts';
import { jsonValue } from '../basics/json-value.ts';
import type { FormValues } from '../form/field.ts';
import type { FieldErrors } from '../form/field-check.ts';
import { type ViewApp, viewAppSchema } from './view-app.ts';

/**
 * A plugin's page that shows a request in a sandboxed frame without network access, and may propose values for its form (PLG10).
 */
export interface View {
  /** An HTML file: its absolute path or its `file:` address. It is read when the plugin is loaded. */
  readonly entry?: string | URL;
  /** The HTML itself, instead of a file. */
  readonly html?: string;
  /** Initial height in CSS pixels. */
  readonly height?: number;
  /** Set for the page of an MCP server (AGT4). */
  readonly app?: ViewApp;
}

/** Heights of a view in CSS pixels, limited so that the buttons stay near. */
export const viewHeight = { least: 40, usual: 240, most: 640 } as const;

/** Limits in characters: the page, and its data as JSON. */
export const maxViewLength = 1024 * 1024;
export const maxViewData = 256 * 1024;

/** A view as a request refers to it. */
export const askedViewSchema = z.object({ name: z.string(), data: z.optional(jsonValue) });

/** A view as stored and sent: with its plugin, its initial height, and whose page it is. */
export const viewSchema = z.object({
  plugin: z.string(),
  name: z.string(),
  data: z.optional(jsonValue),
  height: z.optional(z.number()),
  app: z.optional(viewAppSchema),
});
export type ShownView = z.infer<typeof viewSchema>;

/** The state that a view shows: sent at first, and after every change. */
export interface ViewContent<Data = Json> {
  /** The `data` of the request. */
  readonly data: Data;
  /** Current values of the form, without secrets. */
  readonly values: FormValues;
  readonly fieldErrors: FieldErrors;
  readonly theme: 'light' | 'dark';
  /** Whether nobody can answer here at the moment. */
  readonly isDisabled: boolean;
}

/** The global `parley`, available in every view before its own scripts run. */
export interface ParleyView<Data = Json> {
  /** Calls back at once with the current content, and after every change. */
  onShow(show: (content: ViewContent<Data>) => void): void;
  /** Proposes values for fields of the form. A person decides whether to submit them. */
  propose(values: FormValues): void;
  /** Requests a height in CSS pixels. */
  resize(height: number): void;
}

import {
  type InteractionSpec,
  type Plugin,
  type ShownView,
  suggestName,
  ToolError,
  type ToolErrorCode,
} from '@parleyhq/core';

/** The plugin whose views a request may name. */
export interface OwnViews {
  readonly name: string;
  readonly views: NonNullable<Plugin['views']>;
}

/** @throws ToolError with `code` if the plugin has no view of that name (PLG8, PLG10) */
export function requireOwnView({ view }: InteractionSpec, { name, views }: OwnViews, code: ToolErrorCode): void {
  if (!view || Object.hasOwn(views, view.name)) return;
  const names = Object.keys(views);
  const hint = suggestName(view.name, names) || (names.length > 0 ? ` Known: ${names.join(', ')}.` : '');
  throw new ToolError(code, `view.name: the plugin "${name}" has no view "${view.name}".${hint}`);
}

/** Returns the view as it is stored: with its plugin, its initial height, and whose page it is. */
export function toShown({ view }: InteractionSpec, { name: plugin, views }: OwnViews): { readonly view?: ShownView } {
  if (!view) return {};
  const { height, app } = views[view.name] ?? {};
  return { view: { plugin, ...view, ...(height !== undefined && { height }), ...(app && { app }) } };
}

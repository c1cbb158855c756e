import { readFileSync } from 'node:fs';
import { maxViewLength, type Plugin, type ShownView, type View, type ViewApp } from '@parleyhq/core';

/** A page as its author wrote it, and whose it is if it is not the plugin's own. */
export interface ViewPage {
  readonly html: string;
  readonly app?: ViewApp;
}

/** HTML pages with which plugins show their requests. Files are read once, at the start (PLG10). */
export class ViewRegistry {
  readonly #pages = new Map<string, ViewPage>();
  readonly #plugins = new Map<string, Plugin>();

  /** @throws Error naming the plugin and the view whose page cannot be read or is too long */
  constructor(plugins: readonly Plugin[]) {
    for (const plugin of plugins) {
      this.#plugins.set(plugin.name, plugin);
      for (const [name, view] of Object.entries(plugin.views ?? {}))
        this.#pages.set(nameOf({ plugin: plugin.name, name }), read(plugin.name, name, view));
    }
  }

  /** Returns a page that the plugin was loaded with, or added while it runs. */
  get(view: Pick<ShownView, 'plugin' | 'name'>): ViewPage | undefined {
    return this.#pages.get(nameOf(view)) ?? this.#findAdded(view);
  }

  #findAdded({ plugin, name }: Pick<ShownView, 'plugin' | 'name'>): ViewPage | undefined {
    const views = this.#plugins.get(plugin)?.views ?? {};
    const view = Object.hasOwn(views, name) ? views[name] : undefined;
    return view?.html === undefined ? undefined : read(plugin, name, view);
  }
}

const nameOf = ({ plugin, name }: Pick<ShownView, 'plugin' | 'name'>) => JSON.stringify([plugin, name]);

function read(plugin: string, name: string, { entry = '', html, app }: View): ViewPage {
  const place = `Plugin "${plugin}": view "${name}"`;
  let page: string;
  try {
    page = html ?? readFileSync(/^file:/.test(String(entry)) ? new URL(entry) : entry, 'utf8');
  } catch (cause) {
    throw new Error(`${place} could not be read: ${cause instanceof Error ? cause.message : cause}`, { cause });
  }
  if (page.length > maxViewLength) throw new Error(`${place} is longer than ${maxViewLength} characters.`);
  return { html: page, ...(app && { app }) };
}

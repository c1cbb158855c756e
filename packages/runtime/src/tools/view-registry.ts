import { readFileSync } from 'node:fs';
import { maxViewLength, type Plugin, type ShownView, type View } from '@parleyhq/core';

/** HTML pages with which plugins show their requests, read once at the start (PLG10). */
export class ViewRegistry {
  readonly #pages = new Map<string, string>();

  /** @throws Error naming the plugin and the view whose page cannot be read or is too long */
  constructor(plugins: readonly Plugin[]) {
    for (const { name: plugin, views = {} } of plugins) {
      for (const [name, view] of Object.entries(views))
        this.#pages.set(nameOf({ plugin, name }), read(plugin, name, view));
    }
  }

  /** Returns the page as its author wrote it. */
  get(view: Pick<ShownView, 'plugin' | 'name'>): string | undefined {
    return this.#pages.get(nameOf(view));
  }
}

const nameOf = ({ plugin, name }: Pick<ShownView, 'plugin' | 'name'>) => JSON.stringify([plugin, name]);

function read(plugin: string, name: string, { entry = '', html }: View): string {
  const place = `Plugin "${plugin}": view "${name}"`;
  let page: string;
  try {
    page = html ?? readFileSync(/^file:/.test(String(entry)) ? new URL(entry) : entry, 'utf8');
  } catch (cause) {
    throw new Error(`${place} could not be read: ${cause instanceof Error ? cause.message : cause}`, { cause });
  }
  if (page.length > maxViewLength) throw new Error(`${place} is longer than ${maxViewLength} characters.`);
  return page;
}

import type { FileReference } from '@parleyhq/core';
import { html } from 'lit';

/**
 * Renders files of an answer or a message. Without the element, which is loaded on demand, the line above still shows their names or
 * their number.
 * @param path - of these files on the server
 */
export function renderFiles(files: readonly FileReference[], path: string) {
  void import('./given-files.ts').catch(() => undefined);
  return html`<parley-given-files path=${path} .files=${files}></parley-given-files>`;
}

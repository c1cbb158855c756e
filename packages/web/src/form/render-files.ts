import type { FileReference } from '@parleyhq/core';
import { html } from 'lit';

/**
 * Renders files of an answer or a message. The element is loaded on demand: it is not needed to answer.
 * @param path - of these files on the server
 */
export function renderFiles(files: readonly FileReference[], path: string) {
  void import('./given-files.ts').catch(() => undefined);
  return html`<parley-given-files path=${path} .files=${files}></parley-given-files>`;
}

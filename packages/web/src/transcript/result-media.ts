import type { ResultMedia } from '@parleyhq/core';
import { css, html, LitElement } from 'lit';
import { customElement, property } from 'lit/decorators.js';
import { base } from '../styles/base.ts';

/**
 * The images that a tool returned, and links that save its other files. Images are data URLs of raster types; anything else is
 * only saved, never opened here (AGT4, SEC3).
 */
@customElement('parley-media')
export class ResultMediaList extends LitElement {
  static override styles = [
    base,
    css`
      ul {
        display: flex;
        flex-wrap: wrap;
        gap: var(--s2);
        margin-block-end: var(--s2);
        padding: 0;
        list-style: none;
      }
      img {
        display: block;
        max-width: min(100%, 32rem);
        max-height: 22rem;
        object-fit: contain;
        border: 1px solid var(--line);
        border-radius: var(--r-control);
        background: var(--surface);
      }
      a {
        font: 500 var(--text-meta) var(--sans);
      }
    `,
  ];

  @property({ attribute: false }) media: readonly ResultMedia[] = [];

  override render() {
    return html`<ul aria-label="What the tool returned besides text">
      ${this.media.map((one, index) => html`<li>${one.kind === 'image' ? renderImage(one, index + 1) : renderFile(one, index + 1)}</li>`)}
    </ul>`;
  }
}

/** Only the tool knows what the image shows. Its text refers to images by number, and so does the page. */
function renderImage({ mimeType, data }: ResultMedia, number: number) {
  return html`<img src="data:${mimeType};base64,${data}" alt="Image ${number} that the tool returned" decoding="async" />`;
}

function renderFile({ mimeType, data }: ResultMedia, number: number) {
  const href = `data:application/octet-stream;base64,${data}`;
  return html`<a href=${href} download="file-${number}.${endingOf(mimeType)}">Save file ${number} (${mimeType})</a>`;
}

/** Returns an extension: that of a type known to be safe to open, otherwise one that no program opens by itself. */
function endingOf(mimeType: string): string {
  const endings: Readonly<Record<string, string>> = {
    'audio/mpeg': 'mp3',
    'audio/ogg': 'ogg',
    'audio/wav': 'wav',
    'video/mp4': 'mp4',
    'text/plain': 'txt',
  };
  return endings[mimeType] ?? 'bin';
}

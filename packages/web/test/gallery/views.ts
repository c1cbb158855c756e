import type { BrowserContext } from 'playwright-core';
import { colourPage } from '../../../../plugins/forms/src/views/colour-page.ts';
import { comparisonPage } from '../../../../plugins/forms/src/views/comparison-page.ts';
import { makeViewPolicy } from '../../../server/src/http/content-policy.ts';
import { addBridge } from '../../../server/src/http/views.ts';

/** The errors of each hour as bars. */
const barsPage = `<!doctype html>
<meta name="viewport" content="width=device-width">
<style>
  body { margin: 0; padding: 12px; font: 14px/20px system-ui, sans-serif; }
  p { margin: 0 0 8px; }
  #bars { display: flex; align-items: end; gap: 4px; block-size: 80px; }
  #bars i { flex: 1; border-radius: 3px 3px 0 0; background: light-dark(#1d5f5a, #7fd1c6); }
</style>
<p></p>
<div id="bars" role="img"></div>
<script>
  parley.onShow(({ data }) => {
    document.querySelector('p').textContent = data.label;
    const bars = document.getElementById('bars');
    bars.setAttribute('aria-label', data.label + ': ' + data.counts.join(', '));
    bars.replaceChildren(...data.counts.map((count) => {
      const bar = document.createElement('i');
      bar.style.blockSize = 100 * count / Math.max(...data.counts) + '%';
      return bar;
    }));
  });
  new ResizeObserver(() => parley.resize(document.body.offsetHeight)).observe(document.body);
</script>
`;

const pages: Readonly<Record<string, string>> = {
  colour: colourPage,
  comparison: comparisonPage,
  bars: barsPage,
  gone: '<!doctype html><script>parley.onShow(() => { location.href = "about:blank"; });</script>',
};

/** Reports to the gallery that a view has rendered its content, which only the view itself can know. */
const report = `<script>
  addEventListener('message', async () => {
    await Promise.all([...document.images].map((image) => image.decode()));
    const nextFrame = () => new Promise(requestAnimationFrame);
    await nextFrame();
    await nextFrame();
    parent.postMessage({ type: 'drawn' }, '*');
  });
</script>`;

/** Serves the views of the gallery's plugin as the server does (PLG10). */
export async function serveGalleryViews(context: BrowserContext): Promise<void> {
  await context.route('**/views/forms/*', async (route) => {
    const page = pages[new URL(route.request().url()).pathname.split('/').at(-1) ?? ''];
    const headers = { 'content-security-policy': makeViewPolicy() };
    if (page === undefined) await route.fulfill({ status: 404 });
    else await route.fulfill({ contentType: 'text/html; charset=utf-8', headers, body: addBridge(page) + report });
  });
}

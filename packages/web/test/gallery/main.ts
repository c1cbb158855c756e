import { createServer } from 'vite';
import { findChromium } from '../../../../scripts/chromium.mjs';
import { ensureTestPages } from '../../../../scripts/ensure.mjs';
import { writeDocumentPictures } from './documents.ts';
import { openGallery } from './open.ts';
import { acceptPicture, comparePicture, takePicture } from './pictures.ts';
import { contextOf, nameVariant, pictured } from './variants.ts';

// `npm run gallery` shows every state of the page. `-- --accept` keeps pictures of them, `-- --check` compares them, `-- --check
// prompt` compares those with this word in their names, and `-- --pictures` makes the pictures of the documentation from the
// accepted ones.
const args = process.argv.slice(2);
const [word = ''] = args.filter((arg) => !arg.startsWith('--'));
process.env.CHROMIUM = findChromium() ?? '';

async function takeAll(look: (picture: Buffer, state: string, variant: string) => Promise<void>): Promise<void> {
  await ensureTestPages();
  const gallery = await openGallery();
  for (const variant of Object.values(pictured)) {
    const page = await gallery.open(contextOf(variant));
    for (const name of (await page.evaluate(() => window.states.names)).filter((one) => one.includes(word))) {
      await page.evaluate((name) => window.states.show(name), name);
      await look(await takePicture(page), name, nameVariant(variant));
    }
    await page.context().close();
  }
  await gallery.close();
}

async function accept(): Promise<void> {
  let [count, bytes] = [0, 0];
  await takeAll(async (...picture) => {
    bytes += await acceptPicture(...picture);
    count += 1;
  });
  console.log(`${count} pictures, ${(bytes / 1024 / 1024).toFixed(1)} MiB.`);
}

async function check(): Promise<void> {
  const faults: string[] = [];
  await takeAll(async (picture, state, variant) => {
    const fault = await comparePicture(picture, state, variant);
    if (fault !== undefined) faults.push(`${state}: ${fault}`);
  });
  for (const fault of faults) console.log(fault);
  console.log(faults.length === 0 ? 'All pictures are as they were accepted.' : `${faults.length} pictures differ.`);
  process.exitCode = faults.length === 0 ? 0 : 1;
}

async function serve(): Promise<void> {
  const root = new URL('../..', import.meta.url).pathname;
  const server = await createServer({
    root,
    configFile: `${root}vite.config.ts`,
    server: { port: 0, host: '127.0.0.1' },
  });
  await server.listen();
  const [origin = ''] = server.resolvedUrls?.local ?? [];
  console.log(`The gallery: ${origin}test/gallery/index.html (stop it with Ctrl+C)`);
}

if (args.includes('--accept')) await accept();
else if (args.includes('--check')) await check();
else if (args.includes('--pictures')) await writeDocumentPictures();
else await serve();

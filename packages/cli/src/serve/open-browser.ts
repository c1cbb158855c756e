import { spawn } from 'node:child_process';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

const openers: Partial<Record<NodeJS.Platform, readonly string[]>> = {
  darwin: ['open'],
  win32: ['cmd', '/c', 'start', ''],
};

/** How long the redirect file is kept, in ms: a browser may take a while to start. */
const readWithinMs = 60_000;

/**
 * Opens the page in the default browser; if that fails, the URL is still on the screen. Everybody on the machine can read a
 * process's arguments, so a URL with a login code is passed in a redirect file that only its owner can read (SEC2).
 */
export function openBrowser(url: string, dataDir: string): void {
  const [command = 'xdg-open', ...args] = openers[process.platform] ?? [];
  const address = new URL(url).hash === '' ? url : pathToFileURL(writeRedirect(url, dataDir)).href;
  const child = spawn(command, [...args, address], { stdio: 'ignore', detached: true });
  child.on('error', () =>
    process.stderr.write(`parley: could not open a browser with ${command}: open ${url} yourself\n`),
  );
  child.unref();
}

function writeRedirect(url: string, dataDir: string): string {
  const file = join(dataDir, `open-${process.pid}.html`);
  const remove = () => rmSync(file, { force: true });
  remove();
  const page = `<!doctype html><meta charset="utf-8"><meta http-equiv="refresh" content="0;url=${url}"><title>Parley</title>\n`;
  writeFileSync(file, page, { mode: 0o600, flag: 'wx' });
  process.once('exit', remove);
  setTimeout(remove, readWithinMs).unref();
  return file;
}

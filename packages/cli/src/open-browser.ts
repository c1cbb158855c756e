import { spawn } from 'node:child_process';

const openers: Partial<Record<NodeJS.Platform, readonly string[]>> = {
  darwin: ['open'],
  win32: ['cmd', '/c', 'start', ''],
};

/** Opens the page in the default browser; if that fails, the URL is still on the screen. */
export function openBrowser(url: string): void {
  const [command = 'xdg-open', ...args] = openers[process.platform] ?? [];
  const child = spawn(command, [...args, url], { stdio: 'ignore', detached: true });
  child.on('error', () =>
    process.stderr.write(`parley: could not open a browser with ${command}: open ${url} yourself\n`),
  );
  child.unref();
}

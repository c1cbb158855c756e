import { spawn } from 'node:child_process';

const openers: Partial<Record<NodeJS.Platform, readonly string[]>> = {
  darwin: ['open'],
  win32: ['cmd', '/c', 'start', ''],
};

/** Opens the page where people are used to; where that fails, the URL is on the screen anyway. */
export function openBrowser(url: string): void {
  const [command = 'xdg-open', ...args] = openers[process.platform] ?? [];
  const child = spawn(command, [...args, url], { stdio: 'ignore', detached: true });
  child.on('error', () =>
    process.stderr.write(`parley: no browser could be opened with ${command}: open ${url} yourself\n`),
  );
  child.unref();
}

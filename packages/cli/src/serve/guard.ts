import { dirname } from 'node:path';
import type { Plugin } from '@parleyhq/core';
import type { ParleyServer } from '@parleyhq/server';

interface Guarded {
  readonly server: Pick<ParleyServer, 'log' | 'close'>;
  readonly plugins: readonly Plugin[];
  readonly files: readonly string[];
}

/** The longest time that a shutdown may take, in ms, even if something hangs (OPS3). */
const stopMs = 9500;

/** Shuts the server down on signals; logs unhandled errors of plugins, which must not end sessions. The log redacts answers. */
export function guardProcess({ server, plugins, files }: Guarded): void {
  let isStopping = false;
  const stop = (signal: NodeJS.Signals) => {
    if (isStopping) return;
    isStopping = true;
    server.log.info({ signal }, 'stopping');
    setTimeout(() => process.exit(0), stopMs).unref();
    server.close().then(
      () => process.exit(0),
      (error: unknown) => {
        server.log.error({ error }, 'shutdown failed');
        process.exit(1);
      },
    );
  };
  process.on('SIGTERM', stop);
  process.on('SIGINT', stop);
  process.on('disconnect', () => stop('SIGTERM')); // the process that watches this one has exited
  process.on('unhandledRejection', (reason) => {
    server.log.error({ plugin: findCulprit(reason, plugins, files), error: reason }, 'unhandled rejection');
  });
  process.on('uncaughtException', (error) => {
    const plugin = findCulprit(error, plugins, files);
    server.log.fatal({ plugin, error }, 'uncaught exception');
    if (plugin === undefined) process.exit(1); // our own state may be corrupt; the stored log is not, and the next start reads it
  });
}

/** The plugin whose file or package appears in the stack trace. */
function findCulprit(reason: unknown, plugins: readonly Plugin[], files: readonly string[]): string | undefined {
  const stack = readStack(reason);
  const isNamed = (path: string) => stack.includes(path);
  const file = files.find(isNamed) ?? files.find((path) => isNamed(`${dirname(path)}/`)); // its file, or one next to it
  const ownFile = file === undefined ? -1 : files.indexOf(file);
  if (ownFile >= 0) return plugins.at(plugins.length - files.length + ownFile)?.name;
  return plugins.find((plugin) => stack.includes(`plugins/${plugin.name}/`) || stack.includes(`plugin-${plugin.name}/`))
    ?.name;
}

/** Reads the stack of anything that a plugin threw, even if its getter throws: an error here would end the process. */
function readStack(reason: unknown): string {
  try {
    return reason instanceof Error ? String(reason.stack) : '';
  } catch {
    return '';
  }
}

import { dirname } from 'node:path';
import type { Plugin } from '@parleyhq/core';
import type { ParleyServer } from '@parleyhq/server';

interface Guarded {
  readonly server: ParleyServer;
  readonly plugins: readonly Plugin[];
  readonly files: readonly string[];
}

/** A stop takes at most this long, whatever hangs (OPS3). */
const stopMs = 9500;

/** Signals stop the server in order; what plugins let slip is logged and costs nobody their session. */
export function guardProcess({ server, plugins, files }: Guarded): void {
  const { log } = server; // the one that says nothing of what people said
  let isStopping = false;
  const stop = (signal: NodeJS.Signals) => {
    if (isStopping) return;
    isStopping = true;
    log.info({ signal }, 'stopping');
    setTimeout(() => process.exit(0), stopMs).unref();
    server.close().then(
      () => process.exit(0),
      (error: unknown) => {
        log.error({ error }, 'the stop failed');
        process.exit(1);
      },
    );
  };
  process.on('SIGTERM', stop);
  process.on('SIGINT', stop);
  process.on('disconnect', () => stop('SIGTERM')); // whoever watched us is gone
  process.on('unhandledRejection', (reason) => {
    log.error(
      { plugin: findCulprit(reason, plugins, files), error: reason },
      'a promise was rejected and nobody listened',
    );
  });
  process.on('uncaughtException', (error) => {
    const plugin = findCulprit(error, plugins, files);
    log.fatal({ plugin, error }, 'an exception that nobody caught');
    if (plugin === undefined) process.exit(1); // our own state may be broken: the log is not, and the next start has it
  });
}

/** The plugin whose file or package stands in the stack. */
function findCulprit(reason: unknown, plugins: readonly Plugin[], files: readonly string[]): string | undefined {
  const stack = reason instanceof Error ? (reason.stack ?? '') : '';
  const isNamed = (path: string) => stack.includes(path);
  const file = files.find(isNamed) ?? files.find((path) => isNamed(`${dirname(path)}/`)); // its own file, else one beside it
  const ownFile = file === undefined ? -1 : files.indexOf(file);
  if (ownFile >= 0) return plugins.at(plugins.length - files.length + ownFile)?.name;
  return plugins.find((plugin) => stack.includes(`plugins/${plugin.name}/`) || stack.includes(`plugin-${plugin.name}/`))
    ?.name;
}

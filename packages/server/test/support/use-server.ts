import { useInFile, useInTest } from '@parleyhq/server/testing';
import { ServerProcess, type StartOptions } from './server-process.ts';

/** Starts one server for the tests of a file before the first, and removes it after the last. Tests may restart it. */
export function useServer(options?: StartOptions): ServerProcess {
  return useInFile(new ServerProcess(options));
}

/** Starts a server for this test, removed when it has finished; may be called in `beforeEach`. */
export async function startServer(options?: StartOptions): Promise<ServerProcess> {
  return useInTest(new ServerProcess(options));
}

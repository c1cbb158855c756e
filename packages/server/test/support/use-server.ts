import { useInFile, useInTest } from '@parleyhq/server/testing';
import { ServerProcess, type StartOptions } from './server-process.ts';

/** One server for the tests of a file: started before the first, removed after the last. Tests may restart it. */
export function useServer(options?: StartOptions): ServerProcess {
  return useInFile(new ServerProcess(options));
}

/** A server of this test's own, removed when the test has finished; may be called in `beforeEach`. */
export async function startServer(options?: StartOptions): Promise<ServerProcess> {
  return useInTest(new ServerProcess(options));
}

import { afterAll, beforeAll, onTestFinished } from 'vitest';
import { ServerProcess, type StartOptions } from './server-process.ts';

interface Resource {
  start(): Promise<void>;
  remove(): Promise<void>;
}

/** One server for the tests of a file: started before the first, removed after the last. Tests may restart it. */
export function useServer(options?: StartOptions): ServerProcess {
  return useInFile(new ServerProcess(options));
}

/** A server of this test's own, removed when the test has finished; may be called in `beforeEach`. */
export async function startServer(options?: StartOptions): Promise<ServerProcess> {
  return useInTest(new ServerProcess(options));
}

/** Starts a resource before the tests of a file, and removes it after them. */
export function useInFile<T extends Resource>(resource: T): T {
  beforeAll(() => resource.start());
  afterAll(() => resource.remove());
  return resource;
}

/** Starts a resource for the current test, and removes it when the test has finished; may be called in `beforeEach`. */
export async function useInTest<T extends Resource>(resource: T): Promise<T> {
  onTestFinished(() => resource.remove());
  await resource.start();
  return resource;
}

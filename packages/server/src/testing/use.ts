import { afterAll, beforeAll, onTestFinished } from 'vitest';

/** Something that a test starts and must remove. */
export interface Resource {
  start(): Promise<void>;
  remove(): Promise<void>;
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

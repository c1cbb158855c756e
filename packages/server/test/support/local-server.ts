import { TestServer, type TestServerOptions, useInFile, useInTest } from '@parleyhq/server/testing';
import { Tab, type TabOptions } from './tab.ts';

export type LocalOptions = TestServerOptions;

/** A server in the test's own process, with raw tabs. */
export class LocalServer extends TestServer {
  get httpUrl(): string {
    return this.url;
  }

  open(options?: TabOptions): Promise<Tab> {
    return Tab.open(`ws://127.0.0.1:${this.port}/ws`, options);
  }
}

/** Starts one server for the tests of a file, in their own process. */
export function useLocalServer(options?: LocalOptions): LocalServer {
  return useInFile(new LocalServer(options));
}

/** Starts the same for one test; may be called in `beforeEach`. */
export function startLocalServer(options?: LocalOptions): Promise<LocalServer> {
  return useInTest(new LocalServer(options));
}

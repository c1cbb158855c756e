import { testEventStore } from '@parleyhq/store-kit/testing';
import { openPostgresStore } from '../../src/index.ts';
import { usePostgres } from './use-postgres.ts';

/** Tests the store contract on a release of PostgreSQL. @param native - its folder, if not the default one */
export function testPostgresStore(name: string, native?: string): void {
  testEventStore(name, async () => {
    const url = await (await usePostgres(native)).emptyDatabase();
    let store = await openPostgresStore(url);
    return {
      store,
      isRemote: true,
      async reopen() {
        await store.close();
        store = await openPostgresStore(url);
        return store;
      },
      another: () => openPostgresStore(url),
      close: () => store.close(),
    };
  });
}

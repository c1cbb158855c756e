import { testEventStore } from '@parleyhq/server/testing';
import { openPostgresStore } from '../src/index.ts';
import { usePostgres } from './support/use-postgres.ts';

testEventStore('PostgreSQL', async () => {
  const url = await (await usePostgres()).emptyDatabase();
  let store = await openPostgresStore(url);
  return {
    store,
    isRemote: true,
    async reopen() {
      await store.close();
      store = await openPostgresStore(url);
      return store;
    },
    close: () => store.close(),
  };
});

import { testEventStore } from '../testing/store-contract.ts';
import { MemoryStore } from './memory.ts';

testEventStore('memory', async () => {
  const store = new MemoryStore();
  return { store, close: () => store.close() };
});

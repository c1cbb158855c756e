export { type OpenedStore, testEventStore } from './store-contract.ts';

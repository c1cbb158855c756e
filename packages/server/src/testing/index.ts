export { type OpenedStore, testEventStore } from './store-contract.ts';
export { type ClientLink, type LinkHandlers, type OpenLink, testTransport } from './transport-contract.ts';

export { codeOf, makeAppend, makeClaim, makeEvent, makeGrant, makeSession, readSeqs } from './contract/make.ts';
export type { OpenedStore } from './contract/subject.ts';
export { testEventStore } from './contract.ts';
export { FaultyStore, type Interceptor } from './faulty-store.ts';

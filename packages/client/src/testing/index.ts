export { FakeServer } from './fake-server.ts';
export { by, makeRequest, makeTurn } from './sample-log.ts';

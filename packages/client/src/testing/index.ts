export { FakeServer } from './fake-server.ts';
export { by, makeRequest, makeTurn, type RequestPart } from './sample-log.ts';

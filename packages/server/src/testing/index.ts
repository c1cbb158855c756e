export { type AgentStage, type JourneyCues, testAgentJourney } from './agent-contract/journey.ts';
export { type AgentCues, collect, scriptTurn, testAgent, textOf } from './agent-contract.ts';
export { awaitFirst } from './await-first.ts';
export { LocalHttp } from './local-http.ts';
export { type Received, Receiver } from './receiver.ts';
export { addToken, TestServer, type TestServerOptions, type TokenOptions } from './test-server.ts';
export { type ClientLink, type LinkHandlers, type OpenLink, testTransport } from './transport-contract.ts';
export { type Resource, useInFile, useInTest } from './use.ts';

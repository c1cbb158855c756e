export { type AgentStage, type JourneyCues, testAgentJourney } from './agent-contract/journey.ts';
export { type AgentCues, testAgent } from './agent-contract.ts';
export * from './fake-messages-api.ts';
export { FaultyStore, type Interceptor } from './faulty-store.ts';
export type { OpenedStore } from './store-contract/subject.ts';
export { testEventStore } from './store-contract.ts';
export { type ClientLink, type LinkHandlers, type OpenLink, testTransport } from './transport-contract.ts';

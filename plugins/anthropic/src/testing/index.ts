export { FakeMessagesApi, type SentRequest } from './fake-messages-api.ts';
export { callTool, type FakeBlock, type FakeFault, type FakeReply, failWith, say, think } from './reply.ts';
export type { SentBlock, SentBody, SentMessage, SentTool } from './rules.ts';

export type { ClientOptions, SignAnswer, Signing } from './client-options.ts';
export type { ConnectionStatus } from './connection.ts';
export type { Presence } from './directory.ts';
export {
  FileUpload,
  type UploadContent,
  UploadLostError,
  type UploadOptions,
  type UploadTarget,
  uploadFile,
} from './file-upload.ts';
export { makeId } from './id.ts';
export type { TabStorage } from './kept-answers.ts';
export { fromLocalInput, isSkippedTime, skippedTime, toLocalInput } from './local-datetime.ts';
export { type ClientState, ParleyClient } from './parley-client.ts';
export type { Request } from './request-queue.ts';
export { ConnectionLostError } from './request-queue.ts';
export { type SentAnswer, SessionClient } from './session-client.ts';
export { hasEarlier, type SessionState } from './session-state.ts';
export type { Stream } from './streams.ts';
export { connectDirect, type Pipe } from './transports/direct.ts';
export { connectHttp, type HttpOptions } from './transports/http.ts';
export { connectServer, type ServerOptions } from './transports/server.ts';
export type { Link, LinkHandlers, Transport } from './transports/transport.ts';
export { connectWebSocket, type WebSocketClass } from './transports/ws.ts';

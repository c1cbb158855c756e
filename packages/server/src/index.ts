export { checkPlugin, type Durations, defaultDurations, limitTime, SettingsError } from '@parleyhq/runtime';
export type { AuditProblem } from '@parleyhq/store-kit';
export { fingerprintOfPasskey } from '@parleyhq/store-kit';
export { demoAgent } from './adapters/agent/demo.ts';
export { backUpFiles } from './adapters/store/back-up-files.ts';
export { openFolderFiles } from './adapters/store/folder-files.ts';
export { type AuditedSession, type AuditReader, openAuditReader } from './adapters/store/sqlite/audit-reader.ts';
export { type Backup, backUpDatabase } from './adapters/store/sqlite/backup.ts';
export {
  type LoggedDelivery,
  type LoggedPrompt,
  type LoggedSession,
  type LogReader,
  openLogReader,
  readDatabaseSchema,
} from './adapters/store/sqlite/reader.ts';
export { openTableReader } from './adapters/store/sqlite/table-reader.ts';
export { openTokenFile, type TokenFile } from './adapters/store/sqlite/token-file.ts';
export { openSqliteStore } from './adapters/store/sqlite.ts';
export { hashPairingCode, hashToken, makeToken } from './auth/auth.ts';
export type { Authenticate } from './auth/embedder.ts';
export { hashLinkCode, linkCodeMs, makeLinkCode } from './auth/link-code.ts';
export type { OidcSettings } from './auth/oidc/oidc-settings.ts';
export { hasHostName, nameLoopback } from './auth/passkeys/host-name.ts';
export { makeReceipt } from './auth/receipt.ts';
export type { Signer } from './auth/receipt-assertion.ts';
export { signReceipt, type VerifiedReceipt, verifyReceipt } from './auth/receipt-envelope.ts';
export type { Receipt } from './auth/receipt-format.ts';
export { openReceiptKey, publicKeyOf, readPublicKey } from './auth/receipt-key.ts';
export { findOwner } from './auth/token-owner.ts';
export type { DirectHandlers, DirectLink } from './connection/transport/direct.ts';
export { WebSocket } from './connection/transport/ws.ts';
export type { NotificationSettings } from './extensions/notifications/notification-service.ts';
export type { NotifierSettings } from './extensions/notifications/notifiers.ts';
export { makePushKeys, openPushKeys } from './extensions/notifications/push-keys.ts';
export { proveIdentity } from './http/identity.ts';
export { requireSafeAddress } from './http/safe-address.ts';
export { createServer, type EmbeddedOptions, type EmbeddedServer, ParleyServer } from './server.ts';
export type { ServerOptions } from './server-options.ts';

import { readFileSync } from 'node:fs';

/** The manifest of docs/chat.md: the app may do what this says, and no more. */
const manifest = JSON.parse(
  readFileSync(new URL('../../../docs/examples/slack-manifest.json', import.meta.url), 'utf8'),
);
const scopes: ReadonlySet<string> = new Set(manifest.oauth_config.scopes.bot);
const events: ReadonlySet<string> = new Set(manifest.settings.event_subscriptions.bot_events);

/** The scope that a method needs. */
const scopeOf: Readonly<Record<string, string>> = {
  'chat.postMessage': 'chat:write',
  'chat.postEphemeral': 'chat:write',
  'chat.update': 'chat:write',
  'conversations.open': 'im:write',
  'conversations.history': 'im:history',
  'conversations.replies': 'im:history',
  'users.info': 'users:read',
};

/** Whether the app of the manifest may call a method. */
export function mayCall(method: string): boolean {
  const isOn = method !== 'apps.connections.open' || manifest.settings.socket_mode_enabled;
  return isOn && scopes.has(scopeOf[method] ?? 'chat:write');
}

/** Whether Slack delivers this to the app of the manifest. Other apps may also receive what is said in channels. */
export function isDelivered({ event }: { event?: { type: string; channel_type?: string } }): boolean {
  if (!event) return manifest.settings.interactivity.is_enabled;
  return event.channel_type === 'channel' || events.has(event.type === 'message' ? 'message.im' : event.type);
}

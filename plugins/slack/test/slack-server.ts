import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { setTimeout as pause } from 'node:timers/promises';
import { vi } from 'vitest';
import { type WebSocket, WebSocketServer } from 'ws';
import { findFault } from './block-limits.ts';
import { isDelivered, mayCall } from './slack-manifest.ts';
import { actionOf, channelOf, isOpen, type SlackMessage, titleOf } from './slack-message.ts';

export const appToken = 'xapp-1-the-app-of-this-test';
export const botToken = 'xoxb-1-the-bot-of-this-test';
const team = 'T0001';

export interface SlackView {
  readonly trigger: string;
  readonly private_metadata: string;
  readonly blocks: readonly { readonly type: string; readonly block_id?: string; readonly element?: unknown }[];
}

/** What a call gets instead of its result; `lost` does the work, but breaks the connection before the reply. */
export type Fault = { readonly error: string } | { readonly retryAfter: number } | 'lost';

interface Envelope {
  readonly id: string;
  readonly type: string;
  readonly payload: object;
  attempts: number;
  acknowledge: (payload: unknown) => void;
}

export type Arguments = Readonly<Record<string, string>>;

/** A server that speaks what the plugin uses of Slack's Web API, and Socket Mode over real WebSockets. */
export class SlackServer {
  readonly messages: SlackMessage[] = [];
  readonly whispers: SlackMessage[] = [];
  readonly views: SlackView[] = [];
  /** All calls, in order. */
  readonly calls: { readonly method: string; readonly args: Arguments }[] = [];
  /** What the next calls of a method get. */
  readonly faults = new Map<string, Fault[]>();
  /** By method, how long its replies take, in ms. */
  readonly delayMs = new Map<string, number>();
  /** Runs after a call did its work or was refused, before its reply. */
  onCall: ((method: string, args: Arguments) => void) | undefined;
  /** Whether acknowledgements get lost, so that what they were for is delivered again. */
  isDeaf = false;
  readonly users = new Map([
    ['UANN', 'ann.b'],
    ['UBOB', 'bob'],
  ]);
  /** Whether envelopes are held back until `flush`. */
  isHolding = false;
  /** How many connections were opened. */
  opened = 0;
  readonly #usedTriggers = new Set<string>();
  readonly #expiredTriggers = new Set<string>();
  readonly #waiting = new Map<string, Envelope>();
  readonly #sockets = new Set<WebSocket>();
  readonly #http = createServer((request, response) => void this.#answer(request, response));
  readonly #wss = new WebSocketServer({ server: this.#http });
  #count = 0;

  async start(): Promise<void> {
    this.#wss.on('connection', (socket) => this.#greet(socket));
    await new Promise<void>((resolve) => this.#http.listen(0, '127.0.0.1', resolve));
  }

  async remove(): Promise<void> {
    for (const socket of this.#wss.clients) socket.terminate();
    this.#http.closeAllConnections();
    await new Promise((resolve) => this.#http.close(resolve));
  }

  get apiUrl(): string {
    return `http://127.0.0.1:${(this.#http.address() as AddressInfo).port}/api`;
  }

  get config() {
    return { appToken, botToken, apiUrl: this.apiUrl };
  }

  /** Makes the next calls of a method fail. */
  fail(method: string, ...faults: Fault[]): void {
    this.faults.set(method, [...(this.faults.get(method) ?? []), ...faults]);
  }

  countOf(method: string): number {
    return this.calls.filter((call) => call.method === method).length;
  }

  /** Waits for a message. */
  message(accepts: (message: SlackMessage) => boolean): Promise<SlackMessage> {
    return vi.waitFor(
      () => this.messages.find(accepts) ?? Promise.reject(new Error(JSON.stringify(this.messages, null, 1))),
      { timeout: 30_000 },
    );
  }

  /** Waits for an open card whose title is this. */
  card(title: string, user = 'UANN'): Promise<SlackMessage> {
    return this.message((each) => each.channel === channelOf(user) && isOpen(each) && titleOf(each) === title);
  }

  /** Waits until a message contains a text. */
  until(message: SlackMessage, words: string): Promise<void> {
    return vi.waitFor(
      () => {
        if (!JSON.stringify(message).includes(words)) throw new Error(JSON.stringify(message, null, 1));
      },
      { timeout: 30_000 },
    );
  }

  /** Waits for a text that only one user sees. */
  whisper(accepts: (message: SlackMessage) => boolean = () => true): Promise<SlackMessage> {
    return vi.waitFor(() => this.whispers.find(accepts) ?? Promise.reject(new Error(JSON.stringify(this.whispers))), {
      timeout: 30_000,
    });
  }

  /** Delivers a message that somebody writes. */
  say(words: string, user = 'UANN', more: object = {}): Promise<unknown> {
    const ts = this.#makeTs();
    const event = { type: 'message', channel: channelOf(user), channel_type: 'im', user, text: words, ts, ...more };
    return this.deliver('events_api', { team_id: team, event_id: `Ev${ts}`, type: 'event_callback', event });
  }

  /** Presses a button, or chooses an option of a menu. */
  press(message: SlackMessage, label: string, user = 'UANN', more: object = {}): Promise<unknown> {
    return this.deliver('interactive', this.pressOf(message, label, user, more));
  }

  pressOf(message: SlackMessage, label: string, user = 'UANN', more: object = {}) {
    const { channel, ts } = message;
    return {
      type: 'block_actions',
      user: { id: user, username: this.users.get(user), name: this.users.get(user), team_id: team },
      team: { id: team, domain: 'example' },
      trigger_id: this.makeTrigger(),
      channel: { id: channel, name: 'directmessage' },
      container: { type: 'message', message_ts: ts, channel_id: channel, is_ephemeral: false },
      message: { ts, blocks: message.blocks },
      actions: [actionOf(message, label)],
      ...more,
    };
  }

  /** Submits the modal that was opened last. @returns what its acknowledgement says */
  submit(values: Readonly<Record<string, object>>, user = 'UANN', view = this.views.at(-1)): Promise<unknown> {
    if (!view) throw new Error('no modal is open');
    const state = { values: Object.fromEntries(Object.entries(values).map(([id, value]) => [id, spread(id, value)])) };
    return this.deliver('interactive', {
      type: 'view_submission',
      user: { id: user, name: this.users.get(user), team_id: team },
      team: { id: team },
      view: { id: `V${view.trigger}`, private_metadata: view.private_metadata, state },
    });
  }

  /** Waits for a modal beyond those that were open. */
  async view(count: number): Promise<SlackView> {
    await vi.waitFor(() => this.views.length >= count || Promise.reject(new Error('no modal')), { timeout: 30_000 });
    return this.views[count - 1] as SlackView;
  }

  makeTrigger({ isExpired = false } = {}): string {
    this.#count += 1;
    const trigger = `${this.#count}.trigger`;
    if (isExpired) this.#expiredTriggers.add(trigger);
    return trigger;
  }

  /** Delivers an envelope until it is acknowledged. @returns the payload of the acknowledgement */
  deliver(type: string, payload: object): Promise<unknown> {
    if (!isDelivered(payload)) throw new Error('The manifest of the app does not ask for this.');
    this.#count += 1;
    const id = `envelope-${this.#count}`;
    return new Promise((acknowledge) => {
      const envelope: Envelope = { id, type, payload, attempts: 0, acknowledge };
      this.#waiting.set(id, envelope);
      if (!this.isHolding) this.#send(envelope);
    });
  }

  /** Sends all envelopes that are not acknowledged, in this order. */
  flush(order: (ids: string[]) => string[] = (ids) => ids): void {
    this.isHolding = false;
    for (const id of order([...this.#waiting.keys()])) this.#send(this.#waiting.get(id) as Envelope);
  }

  get unacknowledged(): number {
    return this.#waiting.size;
  }

  get connected(): number {
    return this.#sockets.size;
  }

  /** Announces that the connection closes soon, as Slack does every few hours. */
  refresh(reason: 'warning' | 'refresh_requested'): void {
    for (const socket of this.#sockets) socket.send(JSON.stringify({ type: 'disconnect', reason }));
  }

  /** Breaks all connections without a word. */
  drop(): void {
    for (const socket of this.#sockets) socket.terminate();
  }

  /** Waits for a live connection that was opened after this many. */
  async connection(after = 0): Promise<void> {
    await vi.waitFor(
      () => (this.#sockets.size > 0 && this.opened > after) || Promise.reject(new Error('nobody is connected')),
      { timeout: 60_000 },
    );
  }

  #greet(socket: WebSocket): void {
    this.opened += 1;
    this.#sockets.add(socket);
    socket.on('close', () => this.#sockets.delete(socket));
    socket.on('message', (data) => {
      if (this.isDeaf) return;
      const { envelope_id: id, payload } = JSON.parse(String(data));
      const envelope = this.#waiting.get(id);
      this.#waiting.delete(id);
      envelope?.acknowledge(payload);
    });
    const info = { type: 'hello', num_connections: this.#sockets.size, connection_info: { app_id: 'A0001' } };
    socket.send(JSON.stringify(info));
    if (!this.isHolding) this.flush();
  }

  #send(envelope: Envelope): void {
    const socket = [...this.#sockets].at(-1);
    if (!socket) return; // delivered to the next connection
    const { id, type, payload, attempts } = envelope;
    envelope.attempts += 1;
    const retry = attempts === 0 ? {} : { retry_attempt: attempts, retry_reason: 'timeout' };
    const isEvent = type === 'events_api';
    socket.send(
      JSON.stringify({ type, envelope_id: id, payload, accepts_response_payload: !isEvent, ...(isEvent && retry) }),
    );
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const method = (request.url ?? '').split('/').at(-1) ?? '';
    const args: Arguments = Object.fromEntries(new URLSearchParams(await text(request)));
    this.calls.push({ method, args });
    const fault = this.faults.get(method)?.shift();
    if (typeof fault === 'object') this.onCall?.(method, args);
    const reply = (body: object, status = 200, headers = {}) =>
      void response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));
    if (typeof fault === 'object' && 'retryAfter' in fault)
      return reply({ ok: false, error: 'ratelimited' }, 429, { 'retry-after': String(fault.retryAfter) });
    if (typeof fault === 'object') return reply({ ok: false, error: fault.error });
    const wanted = method === 'apps.connections.open' ? appToken : botToken;
    if (request.headers.authorization !== `Bearer ${wanted}`) return reply({ ok: false, error: 'invalid_auth' });
    const result = this.#run(method, args);
    this.onCall?.(method, args);
    await pause(this.delayMs.get(method) ?? 0);
    if (fault === 'lost') request.socket.destroy();
    else reply(typeof result === 'string' ? { ok: false, error: result } : { ok: true, ...result });
  }

  /** @returns the result, or the code of an error */
  #run(method: string, args: Arguments): object | string {
    const { channel = '', ts = '', user = '', users = '' } = args;
    if (!mayCall(method)) return 'missing_scope';
    const blocks = JSON.parse(args.blocks ?? '[]');
    switch (method) {
      case 'auth.test':
        return { team_id: team, user_id: 'UBOT', bot_id: 'B0001', team: 'Example' };
      case 'apps.connections.open':
        return { url: `${this.apiUrl.replace('http', 'ws')}/link?ticket=1` };
      case 'conversations.open':
        return this.users.has(users) ? { channel: { id: channelOf(users) } } : 'user_not_found';
      case 'users.info':
        return this.users.has(user) ? { user: { id: user, name: this.users.get(user) } } : 'user_not_found';
      case 'chat.postMessage': {
        const fault = findFault(blocks);
        if (fault !== undefined) return fault;
        const place = { channel: channel.startsWith('U') ? channelOf(channel) : channel, ts: this.#makeTs() };
        const below = args.thread_ts === undefined ? {} : { thread_ts: args.thread_ts };
        this.messages.push({ ...place, ...below, text: args.text ?? '', blocks, edits: 0 });
        return place;
      }
      case 'chat.postEphemeral':
        this.whispers.push({ channel, ts: this.#makeTs(), text: args.text ?? '', blocks, edits: 0, user });
        return {};
      case 'chat.update': {
        const message = this.messages.find((each) => each.channel === channel && each.ts === ts);
        if (!message) return 'message_not_found';
        const fault = findFault(blocks);
        if (fault !== undefined) return fault;
        Object.assign(message, { blocks, text: args.text, edits: message.edits + 1 });
        return { channel, ts };
      }
      case 'conversations.history':
        return { messages: this.messages.filter((each) => each.channel === channel && !each.thread_ts).reverse() };
      case 'conversations.replies':
        return { messages: this.messages.filter((each) => each.channel === channel && each.ts === ts) };
      case 'views.open':
        return this.#openView(args);
      default:
        return 'unknown_method';
    }
  }

  #openView({ trigger_id: trigger = '', view = '{}' }: Arguments): object | string {
    if (this.#expiredTriggers.has(trigger)) return 'expired_trigger_id';
    if (this.#usedTriggers.has(trigger)) return 'exchanged_trigger_id';
    const drawn = JSON.parse(view);
    const fault = findFault(drawn.blocks);
    if (fault !== undefined || drawn.title.text.length > 24) return fault ?? 'invalid_arguments';
    this.#usedTriggers.add(trigger);
    this.views.push({ trigger, ...drawn });
    return { view: { id: `V${trigger}` } };
  }

  #makeTs(): string {
    this.#count += 1;
    return `1700000000.${String(this.#count).padStart(6, '0')}`;
  }
}

/** Puts a value at the id of its element. */
function spread(block: string, value: object): object {
  return { [/^(field|other)-/.test(block) ? 'value' : block]: value };
}

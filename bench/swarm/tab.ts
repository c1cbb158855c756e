import { clock } from '../process/clock.ts';
import type { Arrivals } from './arrivals.ts';
import { RawSocket } from './socket.ts';

/** How both servers begin the frame of an event, with a session id of 36 characters. */
const seqAt = '{"type":"chat_event","sessionId":"","event":{"seq":'.length + 36;
const typeAt = '{"type":"'.length;
const letter = (text: string) => text.charCodeAt(0);
const [c, e, l, r, s, t, quote, zero, nine] = ['c', 'e', 'l', 'r', 's', 't', '"', '0', '9'].map(letter) as [
  number,
  number,
  number,
  number,
  number,
  number,
  number,
  number,
  number,
];

/** A tab of the swarm. One tab of a room parses and answers; the others look only at the few bytes that identify a frame. */
export class Tab {
  readonly #socket: RawSocket;
  readonly #arrivals: Arrivals;
  readonly #isReader: boolean;
  #requests = 0;
  #sessionId = '';
  #onLive = (_: number) => {};
  #onReply = (_: string) => {};

  private constructor(port: number, arrivals: Arrivals, isReader: boolean) {
    this.#arrivals = arrivals;
    this.#isReader = isReader;
    this.#socket = new RawSocket(port, isReader ? 4096 : 400, (bytes, start, length) =>
      this.#see(bytes, start, length),
    );
  }

  static async open(port: number, arrivals: Arrivals, isReader: boolean): Promise<Tab> {
    const tab = new Tab(port, arrivals, isReader);
    await tab.#socket.ready;
    tab.#send({ type: 'hello', protocol: 1, interaction: { supported: true, enabled: true } });
    return tab;
  }

  async createSession(agent: string): Promise<string> {
    const reply = new Promise<string>((resolve) => (this.#onReply = resolve));
    this.#send({ type: 'create_session', requestId: 'create', agent });
    const [, id = ''] = /"session":\{"id":"([^"]+)"/.exec(await reply) ?? [];
    return id;
  }

  /** Resolves with the seq at which the tab is live. */
  subscribe(sessionId: string, cursor?: object): Promise<number> {
    this.#sessionId = sessionId;
    const live = new Promise<number>((resolve) => (this.#onLive = resolve));
    this.#send({ type: 'subscribe', requestId: 'subscribe', sessionId, ...(cursor && { cursor }) });
    return live;
  }

  say(text: string): void {
    const messageId = `m${process.hrtime.bigint()}`;
    this.#send({ type: 'user_message', requestId: messageId, sessionId: this.#sessionId, messageId, text });
  }

  close(): void {
    this.#socket.close();
  }

  #send(frame: object): void {
    this.#socket.send(JSON.stringify(frame));
  }

  #see(bytes: Buffer, start: number, length: number): void {
    const first = bytes[start + typeAt];
    const second = bytes[start + typeAt + 1];
    if (first === c && bytes[start + typeAt + 10] === quote) this.#seeEvent(bytes, start, length);
    else if (first === s && second === t) this.#seeStream(bytes, start);
    else if (first === l)
      this.#onLive(Number(/"seq":(\d+)/.exec(bytes.toString('latin1', start, start + length))?.[1]));
    else if (first === r && second === e && this.#isReader)
      this.#seeReply(bytes.toString('latin1', start, start + length));
  }

  #seeEvent(bytes: Buffer, start: number, length: number): void {
    let seq = 0;
    for (let at = start + seqAt; (bytes[at] as number) >= zero && (bytes[at] as number) <= nine; at += 1) {
      seq = seq * 10 + (bytes[at] as number) - zero;
    }
    if (this.#isReader) this.#read(bytes.toString('latin1', start, Math.min(start + length, start + 4096)), seq);
    this.#arrivals.event(seq);
  }

  #read(text: string, seq: number): void {
    if (text.includes('"type":"interaction_request"')) {
      this.#arrivals.mark('interaction_request', seq);
      this.#answer(text);
    }
    if (text.includes('"type":"interaction_response"')) this.#arrivals.mark('interaction_response', seq);
    else if (text.includes('"type":"assistant_done"')) this.#arrivals.mark('assistant_done', seq);
  }

  #answer(text: string): void {
    const requestId = `a${++this.#requests}`;
    const callId = readValue(text, 'toolCallId');
    const interactionId = readValue(text, 'interactionId');
    const answer = text.includes('"interactionType":"input"')
      ? '"action":"submit","input":{"answer":"yes"}'
      : '"action":"approve"';
    this.#arrivals.answeredAt = clock();
    this.#socket.send(
      `{"type":"tool_interaction_response","requestId":"${requestId}","sessionId":"${this.#sessionId}","callId":"${callId}","interactionId":"${interactionId}","answerId":"${interactionId}",${answer}}`,
    );
  }

  #seeStream(bytes: Buffer, start: number): void {
    const at = bytes.indexOf('"text":"', start) + 8;
    this.#arrivals.streamed(Number(bytes.toString('latin1', at, at + 19)));
  }

  #seeReply(text: string): void {
    if (text.includes('"ok":false')) throw new Error(text);
    if (text.includes('"create"')) this.#onReply(text);
  }
}

function readValue(text: string, name: string): string {
  const at = text.indexOf(`"${name}":"`) + name.length + 4;
  return text.slice(at, text.indexOf('"', at));
}

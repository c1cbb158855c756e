import type { ParleyClient, SessionClient } from '@parleyhq/client';
import { asHidden, type ChatEvent, type InteractionRequest, mayAnswer, type Principal } from '@parleyhq/core';
import type { ServerHttp } from '../running-server/server-http.ts';
import { Composer } from '../terminal/composer.ts';
import { describeEvent } from '../terminal/event-words.ts';
import { StreamPrinter } from '../terminal/stream-printer.ts';
import { layOut, paperOf, type StyledText, type Tone } from '../terminal/styled-text.ts';
import { answerAtTerminal } from './answering.ts';
import { findEnded, findStreamedTexts } from './streamed-texts.ts';

const help = [
  'Enter sends, or answers the question that waits; Ctrl-C stops the turn, or leaves if no turn runs.',
  '/answer  answer the oldest question that is open',
  '/stop    stop the turn',
  '/quit    leave; so does Ctrl-D',
].join('\n');

/** An interactive session at a terminal: prints events, sends what is typed, and asks for answers to prompts. */
export class TerminalChat {
  readonly #client: ParleyClient;
  readonly #http: ServerHttp;
  readonly #composer: Composer;
  readonly #printer: StreamPrinter;
  readonly #left = new Set<string>();
  readonly #end: (exitCode: number) => void;
  /** The exit code, once the person leaves. */
  readonly over: Promise<number>;
  #session: SessionClient | undefined;
  #isAnswering = false;
  #tail = '';

  constructor(client: ParleyClient, http: ServerHttp) {
    this.#client = client;
    this.#http = http;
    let end: (exitCode: number) => void = () => {};
    this.over = new Promise((resolve) => {
      end = resolve;
    });
    this.#end = end;
    this.#composer = new Composer(process.stdin, process.stdout, {
      onText: (text) => this.#take(text),
      onInterrupt: () => this.#interrupt(),
      onEnd: () => this.#end(0),
    });
    this.#printer = new StreamPrinter({
      get paper() {
        return paperOf(process.stdout);
      },
      print: (rows) => this.#composer.print(rows),
      setTail: (row) => {
        this.#tail = row;
        this.#showStatus();
      },
    });
  }

  /** Prints events. Call it once per event, before and after `start`. */
  show(events: readonly ChatEvent[], session: SessionClient): void {
    for (const event of events) this.#showEvent(event, session);
  }

  /** Starts to read input. Call it after the past events were shown. */
  start(session: SessionClient): void {
    this.#session = session;
    this.#composer.open();
    session.subscribe(() => this.#update(session));
    session.onReturned((text) => this.say('quiet', '--', `Not sent, as the turn was stopped: ${text}`));
    this.#update(session);
  }

  say(tone: Tone, mark: string, text: string): void {
    this.#print({ tone, mark, text });
  }

  close(): void {
    this.#composer.setStatus('');
    this.#composer.close();
  }

  #showEvent(event: ChatEvent, session: SessionClient): void {
    const { items } = session.state;
    const piece = describeEvent(event, items);
    const ended = findEnded(event);
    const wasWritten = ended !== undefined && this.#printer.finish(ended.key, ended.isWhole ? piece : undefined);
    if (event.type === 'turn_end') this.#printer.finishAll();
    if (piece && !(wasWritten && ended.isWhole) && !this.#wasTyped(event, session)) this.#print(piece);
  }

  /** Whether the person typed the message here, so that its text is already on the screen. */
  #wasTyped(event: ChatEvent, { state }: SessionClient): boolean {
    if (event.type !== 'user_message' || asHidden(event)) return false;
    const item = state.items.get(`message:${event.payload.messageId}`);
    const wasQueued = item?.kind === 'message' && item.queued !== undefined;
    return event.payload.from?.clientId === this.#client.clientId && event.payload.origin === 'user' && !wasQueued;
  }

  #update(session: SessionClient): void {
    const { streams, items, phase } = session.state;
    if (phase === 'live') this.#printer.update(findStreamedTexts(streams, items));
    this.#showStatus();
    queueMicrotask(() => this.#offer(session)); // after the event that asks was printed
  }

  /** Shows the row being streamed, otherwise whether a turn runs. */
  #showStatus(): void {
    const isWorking = Boolean(this.#session?.state.head.turn);
    const working = isWorking ? paperOf(process.stdout).paint('quiet', 'working; Ctrl-C stops it') : '';
    this.#composer.setStatus(this.#tail || working);
  }

  /** Asks the next open question, unless the person is typing or already answering. */
  #offer(session: SessionClient, isWanted = false): void {
    if (this.#isAnswering || !this.#composer.isEmpty) return;
    const open = this.#findOpen(session);
    const next = open.find(({ interactionId }) => isWanted || !this.#left.has(interactionId));
    if (next) void this.#answer(next, session);
  }

  #findOpen({ state }: SessionClient): readonly InteractionRequest[] {
    const principal = this.#client.state.welcome?.principal as Principal | undefined;
    if (!principal || state.phase !== 'live') return [];
    return state.head.prompts
      .filter(({ request, state: at }) => at !== 'expired' && mayAnswer(principal, request))
      .map(({ request }) => request);
  }

  async #answer(request: InteractionRequest, session: SessionClient): Promise<void> {
    const { interactionId } = request;
    const principal = this.#client.state.welcome?.principal as Principal;
    this.#isAnswering = true;
    this.#composer.close();
    const say = (text: string) => {
      this.say('prompt', '?', text);
      this.#composer.flush();
    };
    const answered = await answerAtTerminal({ session, request, principal, say, http: this.#http }).catch(
      (error: Error) => {
        this.say('bad', '!', error.message);
        return 'left' as const;
      },
    );
    if (answered === 'left') {
      this.#left.add(interactionId);
      this.say('quiet', '--', 'Left open: Enter asks again.');
    }
    this.#isAnswering = false;
    this.#composer.open();
    this.#update(session);
  }

  #take(text: string): void {
    const session = this.#session;
    if (!session) return;
    switch (text.trim()) {
      case '':
      case '/answer':
        this.#offer(session, true);
        return;
      case '/stop':
        this.#stop(session);
        return;
      case '/quit':
        this.#end(0);
        return;
      case '/help':
        this.say('quiet', '--', help);
        return;
      default:
        this.#await(session.send(text));
        this.#offer(session);
    }
  }

  #interrupt(): void {
    const session = this.#session;
    if (session?.state.head.turn) this.#stop(session);
    else this.#end(130);
  }

  #stop(session: SessionClient): void {
    this.#await(session.cancelTurn());
  }

  #await(request: Promise<unknown>): void {
    request.catch((error: Error) => this.say('bad', '!', error.message));
  }

  #print(piece: StyledText): void {
    this.#composer.print(layOut(piece, paperOf(process.stdout)));
  }
}

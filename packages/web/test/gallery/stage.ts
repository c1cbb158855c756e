import { by, FakeServer, makeRequest, type RequestPart } from '@parleyhq/client/testing';
import { type Actor, type Json, mayAnswer, type NewEvent, type Payload, type ServerFrameOf } from '@parleyhq/core';
import { headingOf } from '../../src/prompt/words.ts';
import { galleryNow, wait } from './clock.ts';
import { network } from './fake-socket.ts';

/** A state of the page. */
export interface GalleryState {
  readonly name: string;
  /** Path of the page; by default that of the session. */
  readonly path?: string;
  /** Prepares the server before the page opens. */
  readonly before?: (stage: Stage) => void;
  /** Acts on the page after it opened. */
  readonly after?: (stage: Stage) => void | Promise<void>;
}

type Reason = Payload<'interaction_closed'>['reason'];

/** Grace, on her phone. */
const grace: Actor = { ...by, principal: 'grace', name: 'Grace', label: 'Safari on iPhone' };

let opened = 0;

/** A server within the page, and what happens on it. */
export class Stage {
  readonly server = new FakeServer();
  /** Id of the session; each state has its own, because drafts are stored by session. */
  readonly sessionId = `s${++opened}`;
  readonly grace = grace;
  /** Whether a control was pressed, so that it must get the focus back when the layer closes. */
  hasPressed = false;
  #turns = 0;

  constructor() {
    this.server.now = () => galleryNow;
    this.server.principal = { id: 'owner', role: 'operator' };
    network.server = this.server;
    network.isDown = false;
  }

  /** Opens the session of most states. */
  open(title = 'Release 2.1'): void {
    this.server.addSession(this.sessionId, title);
  }

  append(...events: NewEvent[]): void {
    this.server.append(this.sessionId, ...events.map((event) => ({ turnId: this.#turn, responseId: 'r', ...event })));
  }

  get #turn(): string {
    return `t${this.#turns}`;
  }

  startTurn(text = 'Please release version 2.1.'): void {
    this.#turns += 1;
    this.append(
      { type: 'user_message', payload: { messageId: `m${this.#turns}`, text, origin: 'user' } },
      { type: 'turn_start', payload: { trigger: 'user', agent: 'fake', owner: 'fake' } },
    );
  }

  say(text: string): void {
    this.append({ type: 'assistant_done', payload: { block: this.server.log(this.sessionId).length, text } });
  }

  end(part: Partial<Payload<'turn_end'>> = {}): void {
    this.append({ type: 'turn_end', payload: { status: 'completed', ...part } });
  }

  call(toolCallId: string, toolName = 'deploy', args: Json = { to: 'production' }): void {
    this.append({ type: 'tool_call', payload: { toolCallId, toolName, args, authorised: { by: 'tool' } } });
  }

  result(toolCallId: string, toolName: string, part: Partial<Payload<'tool_result'>>): void {
    this.append({ type: 'tool_result', payload: { toolCallId, toolName, ...part } });
  }

  print(toolCallId: string, text: string): void {
    const stream = { turnId: this.#turn, responseId: 'r', block: 0, kind: 'tool_output', toolCallId } as const;
    this.server.stream(this.sessionId, { ...stream, offset: 0, text });
  }

  /** Asks within a turn and a call, which begin as needed. */
  ask(id: string, part: RequestPart = {}, args?: Json): void {
    const [toolCallId = ''] = id.split('.');
    const { turn, calls } = this.server.head(this.sessionId);
    if (!turn) this.startTurn();
    if (!calls.some((call) => call.toolCallId === toolCallId)) this.call(toolCallId, part.toolName, args);
    this.append({ type: 'interaction_request', payload: makeRequest(id, part) });
  }

  /** Returns the headings of the prompts that the session asks this person. */
  listAsked(): readonly string[] {
    const { server } = this;
    if (!server.hasSession(this.sessionId)) return [];
    return server
      .head(this.sessionId)
      .prompts.filter(({ state, request }) => state === 'open' && mayAnswer(server.principal, request))
      .map(({ request }) => headingOf(request));
  }

  respond(id: string, part: object): void {
    const [toolCallId = ''] = id.split('.');
    const answer = { toolCallId, interactionId: id, answerId: id, by: grace, ...part };
    this.append({ type: 'interaction_response', payload: answer as Payload<'interaction_response'> });
  }

  vote(id: string, action: 'approve' | 'deny', votes: { approve: number; deny: number }, part: object = {}): void {
    const [toolCallId = ''] = id.split('.');
    const vote = {
      toolCallId,
      interactionId: id,
      answerId: `${id} ${votes.approve} ${votes.deny}`,
      action,
      votes,
      by: grace,
    };
    this.append({ type: 'interaction_vote', payload: { ...vote, ...part } });
  }

  comment(id: string, text: string, part: object = {}): void {
    const [toolCallId = ''] = id.split('.');
    const comment = { toolCallId, interactionId: id, commentId: text, text, by: grace };
    this.append({ type: 'interaction_comment', payload: { ...comment, ...part } });
  }

  /** Lets somebody claim a prompt, with four minutes left. */
  claim(id: string, part: Partial<ServerFrameOf<'claimed'>> = {}): void {
    const until = new Date(galleryNow + 240_000).toISOString();
    this.server.sendToAll({
      type: 'claimed',
      sessionId: this.sessionId,
      interactionId: id,
      by: grace,
      until,
      ...part,
    });
  }

  settle(id: string, reason: Reason, part: object = {}): void {
    const [toolCallId = ''] = id.split('.');
    this.append({ type: 'interaction_closed', payload: { toolCallId, interactionId: id, reason, ...part } });
  }

  /** Disconnects the network for good. */
  disconnect(): void {
    network.isDown = true;
    this.server.drop();
  }

  /** Clicks a button by its name, as soon as it exists. */
  async click(name: string | RegExp): Promise<void> {
    const button = await this.find('button, summary, a, [role="tab"], label', name);
    button.focus({ preventScroll: true }); // as a press does
    this.hasPressed = true;
    button.click();
  }

  async type(selector: string, text: string): Promise<void> {
    const field = (await this.find(selector)) as HTMLInputElement;
    field.value = text;
    field.dispatchEvent(new InputEvent('input', { bubbles: true, composed: true }));
    field.dispatchEvent(new KeyboardEvent('keydown', { key: 'Shift', bubbles: true, composed: true }));
  }

  press(key: string, part: KeyboardEventInit = {}): void {
    const init = { key, bubbles: true, composed: true, cancelable: true, ...part };
    document.body.dispatchEvent(new KeyboardEvent('keydown', init));
  }

  has(selector: string, name: string | RegExp): boolean {
    return findUsable(selector, name) !== undefined;
  }

  /** Finds an element of the page, through all shadow roots, as soon as it can be used. */
  async find(selector: string, name?: string | RegExp): Promise<HTMLElement> {
    for (let tries = 0; tries < 300; tries += 1) {
      const found = findUsable(selector, name);
      if (found) return found;
      await wait(20);
    }
    throw new Error(`The page has no ${selector} ${name ?? ''}`);
  }
}

function findUsable(selector: string, name?: string | RegExp): HTMLElement | undefined {
  const all = listAll(document).filter(
    (element) =>
      element.matches(selector) &&
      element.checkVisibility() &&
      !element.matches(':disabled') &&
      (name === undefined || isNamed(element, name)),
  );
  const layer = listAll(document)
    .filter((element) => element.matches(':modal'))
    .at(-1);
  return layer ? all.find((element) => isWithin(element, layer)) : all[0];
}

/** Whether one element is inside the other, through slots and shadow roots. */
function isWithin(element: Element, around: Element): boolean {
  for (let at: Element | null = element; at; ) {
    if (at === around) return true;
    const root: Node = at.getRootNode();
    at = at.assignedSlot ?? at.parentElement ?? (root instanceof ShadowRoot ? root.host : null);
  }
  return false;
}

function isNamed(element: HTMLElement, name: string | RegExp): boolean {
  const words = element.getAttribute('aria-label') ?? element.textContent?.trim().replace(/\s+/g, ' ') ?? '';
  return typeof name === 'string' ? words === name : name.test(words);
}

/** Returns every element, through all shadow roots. */
export function listAll(root: ParentNode): readonly HTMLElement[] {
  return [...root.querySelectorAll<HTMLElement>('*')].flatMap((element) =>
    element.shadowRoot ? [element, ...listAll(element.shadowRoot)] : [element],
  );
}

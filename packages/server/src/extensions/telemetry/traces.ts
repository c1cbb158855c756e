import {
  type Attributes,
  context,
  ProxyTracerProvider,
  type Span,
  SpanStatusCode,
  type Tracer,
  trace,
} from '@opentelemetry/api';
import type { ChatEvent, CodedError, Head, HeadChange, OpenPrompt, SessionId } from '@parleyhq/core';

/** A change stored by this node or another. */
type Followed = HeadChange & { readonly isForeign: boolean };

interface EndedWait {
  readonly prompt: OpenPrompt;
  readonly end: ChatEvent;
}

/** Codes of calls that people or callers ended on purpose: these are not failures. */
const wanted: ReadonlySet<string> = new Set(['denied', 'cancelled', 'withdrawn']);

/**
 * Spans of turns, calls and waits for people, derived from the log by the node that runs the turn (OPS7). Whoever starts the
 * server registers an SDK; without one this does nothing. Spans contain only names, ids, kinds and codes, never values.
 */
export class Traces {
  readonly #tracer: Tracer = trace.getTracer('parley');
  /** Turns by session; a session has one at a time. */
  readonly #turns = new Map<SessionId, Span>();
  readonly #calls = new Map<string, Span>();
  /** Waits of sleeping calls, by session: they end before their turn is resumed, which writes their spans. */
  readonly #slept = new Map<SessionId, EndedWait[]>();

  follow({ sessionId, before, after, prompts, events, isForeign }: Followed): void {
    if (!isTraced()) return;
    for (const event of events) {
      if (event.type === 'turn_start' && !isForeign) this.#startTurn(sessionId, event, event.payload.agent);
      if (event.type === 'turn_resumed') this.#resume(sessionId, event, after, isForeign);
      if (event.type === 'tool_call') this.#startCall(sessionId, event.timestamp, event.payload);
    }
    for (const prompt of prompts.settled) {
      const end = events.find((event) => outcomeOf(event, prompt.request.interactionId) !== undefined);
      if (end && !this.#writeWait(sessionId, { prompt, end }) && before.turn && !isForeign)
        this.#slept.set(sessionId, [...(this.#slept.get(sessionId) ?? []), { prompt, end }]);
    }
    for (const event of events) {
      if (event.type === 'tool_result') this.#endCall(sessionId, event);
      if (event.type === 'turn_end') this.#endTurn(sessionId, event, before);
    }
  }

  #startTurn(sessionId: SessionId, { timestamp, turnId = '' }: ChatEvent, agent: string, isResumed = false): void {
    const attributes = {
      'gen_ai.operation.name': 'invoke_agent',
      'gen_ai.agent.name': agent,
      'gen_ai.conversation.id': sessionId,
      'parley.turn.id': turnId,
      ...(isResumed && { 'parley.turn.resumed': true }),
    };
    this.#turns.set(
      sessionId,
      this.#tracer.startSpan(`invoke_agent ${agent}`, { startTime: at(timestamp), attributes }),
    );
  }

  /**
   * Handles a resumed turn: it continues here in a new span, with its open calls, or at another node, which ends its span here.
   */
  #resume(sessionId: SessionId, event: ChatEvent, head: Head, isForeign: boolean): void {
    this.#turns.get(sessionId)?.setAttribute('parley.turn.taken_over', true).end(at(event.timestamp));
    this.#turns.delete(sessionId);
    for (const { toolCallId } of head.calls) this.#drop(sessionId, toolCallId)?.end(at(event.timestamp));
    if (isForeign || !head.turn) return;
    this.#startTurn(sessionId, event, head.turn.agent, true);
    for (const call of head.calls) this.#startCall(sessionId, event.timestamp, call);
    for (const wait of this.#slept.get(sessionId) ?? []) this.#writeWait(sessionId, wait);
    this.#slept.delete(sessionId);
  }

  #startCall(
    sessionId: SessionId,
    timestamp: string,
    {
      toolCallId,
      toolName,
      parentToolCallId = '',
    }: { toolCallId: string; toolName: string; parentToolCallId?: string | undefined },
  ): void {
    const turn = this.#turns.get(sessionId);
    if (!turn) return; // another node runs it
    const parent = this.#calls.get(keyOf(sessionId, parentToolCallId)) ?? turn;
    const attributes = {
      'gen_ai.operation.name': 'execute_tool',
      'gen_ai.tool.name': toolName,
      'gen_ai.tool.call.id': toolCallId,
      'gen_ai.conversation.id': sessionId,
    };
    const span = this.#startBelow(parent, `execute_tool ${toolName}`, timestamp, attributes);
    this.#calls.set(keyOf(sessionId, toolCallId), span);
  }

  /** Writes the span of a wait afterwards, with the times of the log. @returns false if its call has no span here */
  #writeWait(sessionId: SessionId, { prompt: { request, timestamp }, end }: EndedWait): boolean {
    const { toolCallId, interactionId, interactionType, source } = request;
    const parent = this.#calls.get(keyOf(sessionId, toolCallId));
    if (!parent) return false;
    const attributes = {
      'gen_ai.conversation.id': sessionId,
      'gen_ai.tool.call.id': toolCallId,
      'parley.interaction.id': interactionId,
      'parley.interaction.type': interactionType,
      'parley.interaction.source': source.kind,
      'parley.interaction.outcome': outcomeOf(end, interactionId),
    };
    this.#startBelow(parent, 'wait_for_person', timestamp, attributes).end(at(end.timestamp));
    return true;
  }

  #endCall(sessionId: SessionId, { timestamp, payload: { toolCallId, error } }: ChatEvent<'tool_result'>): void {
    const span = this.#drop(sessionId, toolCallId);
    if (!span) return;
    if (error) tellFault(span, error);
    span.end(at(timestamp));
  }

  #endTurn(sessionId: SessionId, { timestamp, payload: { status, error } }: ChatEvent<'turn_end'>, before: Head): void {
    for (const { toolCallId } of before.calls) this.#drop(sessionId, toolCallId)?.end(at(timestamp));
    const span = this.#turns.get(sessionId);
    this.#turns.delete(sessionId);
    this.#slept.delete(sessionId);
    if (!span) return;
    if (error) tellFault(span, error);
    span.setAttribute('parley.turn.status', status).end(at(timestamp));
  }

  #startBelow(parent: Span, name: string, timestamp: string, attributes: Attributes): Span {
    const below = trace.setSpan(context.active(), parent);
    return this.#tracer.startSpan(name, { startTime: at(timestamp), attributes }, below);
  }

  #drop(sessionId: SessionId, toolCallId: string): Span | undefined {
    const key = keyOf(sessionId, toolCallId);
    const span = this.#calls.get(key);
    this.#calls.delete(key);
    return span;
  }
}

/** Whether an SDK is registered, which is possible at any time. */
function isTraced(): boolean {
  const provider = trace.getTracerProvider();
  return !(provider instanceof ProxyTracerProvider) || provider.getDelegateTracer('parley') !== undefined;
}

/** Returns how an event settled a prompt, if it did. */
function outcomeOf({ type, payload }: ChatEvent, interactionId: string): string | undefined {
  if (type === 'interaction_response' && payload.interactionId === interactionId) return payload.action;
  if (type === 'interaction_closed' && payload.interactionId === interactionId) return payload.reason;
  return undefined;
}

/** Records an error by its code only, because messages may contain values. */
function tellFault(span: Span, { code }: CodedError): void {
  span.setAttribute('error.type', code);
  span.setStatus({ code: wanted.has(code) ? SpanStatusCode.OK : SpanStatusCode.ERROR });
}

function keyOf(sessionId: SessionId, toolCallId: string): string {
  return `${sessionId} ${toolCallId}`;
}

function at(timestamp: string): Date {
  return new Date(timestamp);
}

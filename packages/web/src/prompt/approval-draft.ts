import { type Annotation, type InteractionRequest, isRecord, type Json, quoteLines } from '@parleyhq/core';
import type { ReactiveControllerHost } from 'lit';
import { draftStore, type FormInput } from '../browser/draft-store.ts';
import { DraftRelay } from '../form/draft-relay.ts';

/** What a person has entered for an approval, and not sent. */
interface Entered {
  readonly reason?: string | undefined;
  /** The arguments, or the part that may be edited, as typed. */
  readonly edited?: string | undefined;
  readonly comments: readonly Annotation[];
}

/** What is asked, and the key under which its draft is stored. */
interface Place {
  readonly request: InteractionRequest;
  readonly draftKey: string;
  readonly isEditable: boolean;
}

/**
 * What a person enters for an approval. It survives a reload and the end of its prompt; the words are relayed to other tabs of this
 * person (INT18, INT5).
 */
export class ApprovalDraft {
  readonly #host: ReactiveControllerHost;
  readonly #find: () => Place;
  readonly #relay: DraftRelay;
  #entered: Entered = { comments: [] };
  /** Whether something was entered in this tab. */
  #isTouched = false;

  /** @param relay - passes on what is entered */
  constructor(host: ReactiveControllerHost, find: () => Place, relay: (draft: FormInput) => void) {
    this.#host = host;
    this.#find = find;
    this.#relay = new DraftRelay(host, relay);
  }

  get reason(): string | undefined {
    return this.#entered.reason;
  }

  get edited(): string | undefined {
    return this.#entered.edited;
  }

  get comments(): readonly Annotation[] {
    return this.#entered.comments;
  }

  /** Begins an attempt with what was entered before. @param lastEdit - what was sent with the attempt before */
  begin(lastEdit: string | undefined): void {
    const { request, draftKey, isEditable } = this.#find();
    const { attempt, input = {} } = draftStore.resume(draftKey) ?? {};
    const kept = readEntered(input, request);
    const edited = isEditable && attempt === request.interactionId ? kept.edited : undefined; // an edit belongs to one attempt
    this.#isTouched ||= kept.reason !== undefined || kept.comments.length > 0;
    this.#entered = {
      reason: this.reason ?? kept.reason ?? (request.reasonRequired ? '' : undefined),
      edited: lastEdit ?? this.edited ?? edited,
      comments: kept.comments,
    };
  }

  openReason(): void {
    this.#entered = { ...this.#entered, reason: '' };
    this.#host.requestUpdate();
  }

  change(part: Partial<Entered>): void {
    const { request, draftKey } = this.#find();
    this.#isTouched = true;
    this.#entered = { ...this.#entered, ...part };
    const { reason, edited, comments } = this.#entered;
    const words = {
      ...(reason !== undefined && { reason }),
      ...(comments.length > 0 && { comments: comments as unknown as Json }),
    };
    const input = { ...words, ...(edited !== undefined && { edited }) };
    draftStore.write(draftKey, { input, attempt: request.interactionId });
    this.#relay.changed(words); // an edit that arrived just before a press would be allowed unread (WEB7)
    this.#host.requestUpdate();
  }

  /** Takes over what another tab of this person says, as long as nothing was entered here; never its edit. */
  take(values: FormInput): void {
    if (this.#isTouched || this.edited !== undefined) return;
    const { reason, comments } = readEntered(values, this.#find().request);
    this.#entered = { reason: reason || this.reason, edited: undefined, comments };
    this.#host.requestUpdate();
  }
}

/** Reads what was entered, as far as it fits what is asked: a comment belongs to the lines that it quotes. */
function readEntered({ reason, edited, comments }: FormInput, { subject }: InteractionRequest): Entered {
  return {
    reason: typeof reason === 'string' ? reason : undefined,
    edited: typeof edited === 'string' ? edited : undefined,
    comments: readComments(comments).filter(({ lines, quote }) => subject && quoteLines(subject, lines) === quote),
  };
}

/** Reads the comments of a draft, which may be from a tab of another release. */
export function readComments(kept: Json | undefined): readonly Annotation[] {
  return Array.isArray(kept) ? (kept.filter(isComment) as readonly object[] as readonly Annotation[]) : [];
}

function isComment(kept: Json): boolean {
  if (!isRecord(kept) || !Array.isArray(kept.lines)) return false;
  return [kept.quote, kept.comment ?? '', kept.replacement ?? ''].every((text) => typeof text === 'string');
}

/** Returns "1 comment", "3 comments"; empty if there are none. */
export function countComments({ length }: readonly Annotation[] = []): string {
  return length === 0 ? '' : length === 1 ? '1 comment' : `${length} comments`;
}

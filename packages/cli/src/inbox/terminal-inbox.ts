import type { ParleyClient } from '@parleyhq/client';
import {
  describeVotes,
  findVoteOf,
  headingOf,
  type InboxEntry,
  mayAnswer,
  nameSubject,
  needsVotes,
  ownerOf,
  type Principal,
  votesOf,
} from '@parleyhq/core';
import { answerAtTerminal } from '../chat/answering.ts';
import { until } from '../chat/event-feed.ts';
import { reportConnection } from '../chat/report-connection.ts';
import type { NamedServer } from '../running-server/named-server.ts';
import { ServerHttp } from '../running-server/server-http.ts';
import { useServer } from '../running-server/use-server.ts';
import { describeComment, findRequest } from '../terminal/event-words.ts';
import { describeAnswer, describeEnd, describeLastComment, describeRequest } from '../terminal/prompt-words.ts';
import { type Choice, LeftError, Prompts } from '../terminal/prompts.ts';
import { layOut, paperOf, type StyledText } from '../terminal/styled-text.ts';

export interface Browsing {
  /** Whether to stay when no prompt is open. */
  readonly isLasting: boolean;
}

/** Shows the open prompts to the person at the terminal, and lets them answer. @throws Error */
export async function browseInbox(server: NamedServer, { isLasting }: Browsing): Promise<void> {
  const use = { isPatient: true, isInteractive: true };
  await useServer(server, (client) => new TerminalInbox(client, new ServerHttp(server)).browse(isLasting), use);
}

/** Describes how long a prompt can still be answered if that is less than ten minutes, otherwise how long it has waited. */
function describeWait({ askedAt, interaction, pending }: InboxEntry, now: number): string[] {
  const { expiresAt } = interaction;
  const count = (ms: number) => `${Math.max(0, Math.floor(ms / 60_000))} min`;
  const left = expiresAt === undefined || pending ? Number.POSITIVE_INFINITY : Date.parse(expiresAt) - now;
  if (left < 600_000) return [`${count(left)} left`];
  return askedAt === undefined ? [] : [`waiting ${count(now - Date.parse(askedAt))}`];
}

class TerminalInbox {
  readonly #client: ParleyClient;
  readonly #http: ServerHttp;

  constructor(client: ParleyClient, http: ServerHttp) {
    this.#client = client;
    this.#http = http;
  }

  /** Resolves when the person leaves or, unless it is to last, when no prompt is open any more. */
  async browse(isLasting: boolean): Promise<void> {
    await until(this.#client, () => this.#client.state.connection === 'open');
    reportConnection(this.#client, (words) => this.#print({ tone: 'bad', mark: '!', text: words }));
    for (let open = this.#findOpen(); ; open = this.#findOpen()) {
      if (this.#client.state.welcome?.principal.role === 'viewer') return this.#print(onlyLooking);
      if (open.length === 0 && !isLasting) return this.#print(nothing);
      if (open.length === 0) {
        await this.#waitForMore();
        continue;
      }
      const entry = await this.#choose(open);
      if (entry === 'leave') return;
      if (entry === 'changed') await this.#tellEnds(open);
      else await this.#answer(entry);
    }
  }

  /** Waits for a prompt, and rings the bell for a person who looks elsewhere. */
  async #waitForMore(): Promise<void> {
    this.#print({ ...nothing, text: `${nothing.text} New questions appear here; Ctrl-C ends this.` });
    await until(this.#client, () => this.#findOpen().length > 0);
    process.stdout.write('\u0007');
  }

  #findOpen(): readonly InboxEntry[] {
    const { inbox, welcome } = this.#client.state;
    return welcome ? inbox.filter(({ interaction }) => mayAnswer(welcome.principal as Principal, interaction)) : [];
  }

  async #choose(open: readonly InboxEntry[]): Promise<InboxEntry | 'changed' | 'leave'> {
    const changed = new AbortController();
    const stop = this.#client.subscribe(() => isSame(open, this.#findOpen()) || changed.abort());
    const choices: Choice<InboxEntry | 'leave'>[] = [
      ...open.map((entry) => ({ value: entry, label: headingOf(entry.interaction), hint: this.#describe(entry) })),
      { value: 'leave', label: 'Leave' },
    ];
    try {
      return await new Prompts(changed.signal).choose('What do you answer?', choices);
    } catch (error) {
      if (!(error instanceof LeftError)) throw error;
      return changed.signal.aborted ? 'changed' : 'leave';
    } finally {
      stop();
    }
  }

  #describe(entry: InboxEntry): string {
    const { sessionId, interaction, pending, votes = { approve: 0, deny: 0 }, ownVote, comments } = entry;
    const { risk } = interaction;
    const subject = nameSubject(interaction).slice(0, 80);
    const count = needsVotes(interaction) ? [describeVotes(interaction, votes, ownVote)] : [];
    const title = this.#client.state.sessions.find(({ id }) => id === sessionId)?.title ?? sessionId;
    const risky = risk === undefined ? [] : [`${risk} risk`];
    const about = subject === '' || headingOf(interaction).includes(subject) ? [] : [subject];
    const parts = [...about, ...risky, ...count, ...(pending ? ['late answers are taken'] : []), `in ${title}`];
    const said = comments ? [describeLastComment(comments)] : [];
    return [...parts, ...describeWait(entry, this.#client.now()), ...said].join(', ');
  }

  async #answer({ sessionId, interaction, votes }: InboxEntry): Promise<void> {
    const session = this.#client.open(sessionId);
    try {
      await until(session, () => session.state.phase === 'live' || session.state.phase === 'gone');
      this.#print(describeRequest(interaction, votes));
      this.#printComments(interaction.interactionId, session.state.items);
      const { welcome } = this.#client.state;
      this.#tellOwnVote(interaction.interactionId, session.state.items, welcome?.principal as Principal);
      const answered = await answerAtTerminal({
        session,
        http: this.#http,
        request: interaction,
        principal: welcome?.principal as Principal,
        say: (text) => this.#print({ tone: 'prompt', mark: '?', text }),
      });
      if (answered === 'over') this.#tellEnd(interaction.interactionId, session.state.items);
    } finally {
      session.close();
    }
  }

  #printComments(interactionId: string, items: Parameters<typeof findRequest>[0]): void {
    const item = items.get(`interaction:${interactionId}`);
    for (const { payload } of (item?.kind === 'interaction' && item.comments) || [])
      this.#print(describeComment(payload));
  }

  /** Reminds the person of their vote, which they can still change (TEAM3). */
  #tellOwnVote(interactionId: string, items: Parameters<typeof findRequest>[0], principal: Principal): void {
    const item = items.get(`interaction:${interactionId}`);
    const own = item?.kind === 'interaction' ? findVoteOf(votesOf(item), ownerOf(principal)) : undefined;
    if (own) this.#print({ tone: 'quiet', mark: '=', text: `${stands[own.action]} You can change it.` });
  }

  /** Prints how prompts ended that are no longer open. */
  async #tellEnds(before: readonly InboxEntry[]): Promise<void> {
    const now = new Set(this.#findOpen().map(({ interaction }) => interaction.interactionId));
    for (const { sessionId, interaction } of before) {
      if (now.has(interaction.interactionId)) continue;
      const session = this.#client.open(sessionId);
      await until(session, () => session.state.phase === 'live' || session.state.phase === 'gone');
      this.#print({ tone: 'quiet', mark: '--', text: headingOf(interaction) });
      this.#tellEnd(interaction.interactionId, session.state.items);
      session.close();
    }
  }

  #tellEnd(interactionId: string, items: Parameters<typeof findRequest>[0]): void {
    const item = items.get(`interaction:${interactionId}`);
    if (item?.kind !== 'interaction') return;
    if (item.response) this.#print(describeAnswer(item.response.payload, findRequest(items, interactionId)));
    if (item.closed) this.#print(describeEnd(item.closed.payload));
  }

  #print(piece: StyledText): void {
    process.stdout.write(`${layOut(piece, paperOf(process.stdout)).join('\n')}\n`);
  }
}

const onlyLooking: StyledText = { tone: 'quiet', mark: '--', text: 'You are a viewer: you may look, and not answer.' };

const nothing: StyledText = { tone: 'quiet', mark: '--', text: 'Nothing waits for you.' };

const stands = { approve: 'Your approval stands.', deny: 'Your denial stands.' } as const;

function isSame(a: readonly InboxEntry[], b: readonly InboxEntry[]): boolean {
  return (
    a.length === b.length && a.every((entry, n) => entry.interaction.interactionId === b[n]?.interaction.interactionId)
  );
}

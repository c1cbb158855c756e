import {
  addComment,
  asHidden,
  type Claim,
  countVotes,
  type InboxEntry,
  type OpenPrompt,
  ownerOf,
  ownVoteOf,
  type Principal,
  personOf,
  type ServerFrame,
  type ServerFrameOf,
  type Session,
  type SessionId,
} from '@parleyhq/core';

/** Numbers of connections to a session: all, those that can show prompts, and those that can answer now. */
export interface Presence {
  readonly connections: number;
  readonly interactive: number;
  readonly enabled: number;
  /** The connected people who have names, at most twenty. */
  readonly people?: ServerFrameOf<'presence'>['people'];
}

/** What a client knows apart from the sessions it has opened. */
export interface Directory {
  readonly welcome: ServerFrameOf<'welcome'> | undefined;
  /** Newest first. */
  readonly sessions: readonly Session[];
  /** Sessions that were deleted meanwhile: a list that was requested before may still contain them. */
  readonly deleted: ReadonlySet<SessionId>;
  /** Open and pending prompts that this client may see, oldest first (INT14). */
  readonly inbox: readonly InboxEntry[];
  /** Number of older open prompts that are not in `inbox`, which holds a thousand. */
  readonly olderOpen: number;
  readonly presence: ReadonlyMap<SessionId, Presence>;
  /** Claims on prompts, by `<sessionId> <interactionId>`; a claim ends at its `until` (TEAM4). */
  readonly claims: ReadonlyMap<string, Claim>;
}

export const emptyDirectory: Directory = {
  welcome: undefined,
  sessions: [],
  deleted: new Set(),
  inbox: [],
  olderOpen: 0,
  presence: new Map(),
  claims: new Map(),
};

/** Returns the directory after one more frame. Pure. */
export function foldDirectory(directory: Directory, frame: ServerFrame): Directory {
  switch (frame.type) {
    case 'welcome':
      return {
        welcome: frame,
        sessions: sort(frame.sessions),
        deleted: directory.deleted,
        inbox: frame.open as InboxEntry[],
        olderOpen: frame.openTotal - frame.open.length,
        presence: new Map(),
        claims: new Map(),
      };
    case 'snapshot':
    case 'session_created':
    case 'session_updated':
      return { ...directory, sessions: addSessions(directory.sessions, [frame.session]) };
    case 'session_deleted':
      return {
        ...directory,
        sessions: directory.sessions.filter(({ id }) => id !== frame.session.id),
        deleted: new Set(directory.deleted).add(frame.session.id),
        inbox: directory.inbox.filter(({ sessionId }) => sessionId !== frame.session.id),
      };
    case 'interaction_opened': {
      const { sessionId, sessionTitle, interaction, askedAt, votes, comments } = frame;
      const others = withoutPrompt(directory.inbox, sessionId, interaction.interactionId);
      const entry = {
        sessionId,
        interaction,
        ...(sessionTitle !== undefined && { sessionTitle }),
        ...(askedAt !== undefined && { askedAt }),
        ...(votes && { votes }),
        ...(comments && { comments }),
      };
      return { ...directory, inbox: [...others, entry] };
    }
    case 'interaction_voted':
      return withVotes(directory, frame, frame.ownVote);
    case 'interaction_commented':
      return withEntry(directory, frame, (entry) => ({ ...entry, comments: frame.comments }));
    case 'interaction_settled': {
      const inbox = withoutPrompt(directory.inbox, frame.sessionId, frame.interactionId);
      const isOlder = inbox.length === directory.inbox.length;
      return {
        ...directory,
        inbox,
        ...withoutClaim(directory, frame),
        olderOpen: Math.max(0, directory.olderOpen - (isOlder ? 1 : 0)),
      };
    }
    case 'chat_event':
      return foldEvent(directory, frame);
    case 'claimed': {
      const { sessionId, interactionId, by, until } = frame;
      const claims = new Map(directory.claims).set(`${sessionId} ${interactionId}`, { by, until });
      return { ...directory, claims };
    }
    case 'presence': {
      const { sessionId, connections, interactive, enabled, people } = frame;
      const present: Presence = { connections, interactive, enabled, ...(people && { people }) };
      const presence = new Map(directory.presence).set(sessionId, present);
      return { ...directory, presence };
    }
    default:
      return directory;
  }
}

/** Folds an event into the inbox: there is no inbox frame for one that was sent just before its session was closed here. */
function foldEvent(directory: Directory, { sessionId, event }: ServerFrameOf<'chat_event'>): Directory {
  if (event.type === 'interaction_request' && !asHidden(event)) {
    const others = withoutPrompt(directory.inbox, sessionId, event.payload.interactionId);
    return { ...directory, inbox: [...others, { sessionId, interaction: event.payload }] };
  }
  if (event.type === 'interaction_vote' && !asHidden(event)) {
    const { by, action, interactionId, votes } = event.payload;
    const isOwn = personOf(by) === readerOf(directory);
    return withVotes(directory, { sessionId, interactionId, votes }, isOwn ? action : 'as before');
  }
  if (event.type === 'interaction_comment' && !asHidden(event)) {
    const { interactionId } = event.payload;
    return withEntry(directory, { sessionId, interactionId }, (entry) => ({
      ...entry,
      comments: addComment(entry.comments, event),
    }));
  }
  if (event.type !== 'interaction_response' && event.type !== 'interaction_closed') return directory;
  const { interactionId } = event.payload;
  const claim = withoutClaim(directory, { sessionId, interactionId });
  const inbox = withoutPrompt(directory.inbox, sessionId, interactionId);
  const isSame = inbox.length === directory.inbox.length && !claim.claims;
  return isSame ? directory : { ...directory, inbox, ...claim };
}

/** Replaces a session's prompts in the inbox, keeping their order: opened sessions get them from the log, not by inbox frames. */
export function setSessionPrompts(
  directory: Directory,
  sessionId: SessionId,
  prompts: readonly OpenPrompt[],
): Directory {
  const known = directory.inbox.filter((entry) => entry.sessionId === sessionId);
  const reader = readerOf(directory);
  const open = prompts
    .filter(({ state }) => state !== 'expired')
    .map(({ request, state, timestamp, isCut, votes }) => ({
      sessionId,
      interaction: request,
      askedAt: timestamp,
      pending: state === 'pending',
      ...(isCut && { isCut }),
      ...(votes && { votes: countVotes(votes), ...ownVoteOf(votes, reader) }),
    }));
  const isSame =
    known.length === open.length &&
    known.every(
      (entry, n) =>
        entry.interaction.interactionId === open[n]?.interaction.interactionId &&
        Boolean(entry.pending) === open[n]?.pending &&
        isAskedAlike(entry, open[n]) &&
        entry.isCut === open[n]?.isCut,
    );
  if (isSame) return directory;
  const added = new Map(open.map((entry) => [entry.interaction.interactionId, entry]));
  const kept = directory.inbox.flatMap((entry) => {
    if (entry.sessionId !== sessionId) return [entry];
    const now = added.get(entry.interaction.interactionId);
    added.delete(entry.interaction.interactionId);
    const { sessionTitle } = entry;
    return now ? [{ ...now, ...(sessionTitle !== undefined && { sessionTitle }) }] : [];
  });
  return { ...directory, inbox: [...kept, ...added.values()] };
}

/** The id of the person whose client this is. */
function readerOf({ welcome }: Directory): string {
  return welcome ? ownerOf(welcome.principal as Principal) : '';
}

/** Whether the votes, the reader's own vote and the number of people added by escalation are the same (TEAM3, TEAM5). */
function isAskedAlike(a: InboxEntry, b: InboxEntry): boolean {
  const isSameCount = a.votes?.approve === b.votes?.approve && a.votes?.deny === b.votes?.deny;
  return (
    isSameCount &&
    a.ownVote === b.ownVote &&
    a.interaction.audience?.also?.length === b.interaction.audience?.also?.length
  );
}

/** Adds a page of `list_open` in front, without prompts that are already there from an opened session. */
export function addOlderPrompts(directory: Directory, page: readonly InboxEntry[]): Directory {
  const known = new Set(directory.inbox.map(keyOfEntry));
  const added = page.filter((entry) => !known.has(keyOfEntry(entry)));
  const olderOpen = page.length === 0 ? 0 : Math.max(0, directory.olderOpen - page.length);
  return { ...directory, inbox: [...added, ...directory.inbox], olderOpen };
}

function keyOfEntry({ sessionId, interaction }: InboxEntry): string {
  return `${sessionId} ${interaction.interactionId}`;
}

/** Adds a page of `list_sessions`, without sessions that were deleted since it was requested. */
export function addOlderSessions(directory: Directory, page: readonly Session[]): Directory {
  const left = page.filter(({ id }) => !directory.deleted.has(id));
  return { ...directory, sessions: addSessions(directory.sessions, left) };
}

/** Adds or replaces sessions; newest first. */
export function addSessions(known: readonly Session[], more: readonly Session[]): readonly Session[] {
  const byId = new Map(known.map((session) => [session.id, session]));
  for (const session of more) byId.set(session.id, session);
  return sort([...byId.values()]);
}

function sort(sessions: readonly Session[]): readonly Session[] {
  return [...sessions].sort((a, b) => compare(b.updatedAt, a.updatedAt) || compare(b.id, a.id));
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** Sets the votes of a prompt of a session that is not opened here; those of opened sessions come from their log. */
function withVotes(
  directory: Directory,
  {
    sessionId,
    interactionId,
    votes,
  }: Pick<ServerFrameOf<'interaction_voted'>, 'sessionId' | 'interactionId' | 'votes'>,
  given: InboxEntry['ownVote'] | 'as before',
): Directory {
  return withEntry(directory, { sessionId, interactionId }, ({ ownVote, ...rest }) => {
    const own = given === 'as before' ? ownVote : given;
    return { ...rest, votes, ...(own && { ownVote: own }) };
  });
}

/** Changes the entry of a prompt, if there is one. */
function withEntry(
  directory: Directory,
  { sessionId, interactionId }: Pick<ServerFrameOf<'interaction_voted'>, 'sessionId' | 'interactionId'>,
  change: (entry: InboxEntry) => InboxEntry,
): Directory {
  const isMeant = (entry: InboxEntry) =>
    entry.sessionId === sessionId && entry.interaction.interactionId === interactionId;
  if (!directory.inbox.some(isMeant)) return directory;
  const inbox = directory.inbox.map((entry) => (isMeant(entry) ? change(entry) : entry));
  return { ...directory, inbox };
}

function withoutClaim(
  { claims }: Directory,
  { sessionId, interactionId }: { sessionId: string; interactionId: string },
) {
  const key = `${sessionId} ${interactionId}`;
  if (!claims.has(key)) return {};
  const rest = new Map(claims);
  rest.delete(key);
  return { claims: rest };
}

function withoutPrompt(inbox: readonly InboxEntry[], sessionId: SessionId, interactionId: string) {
  return inbox.filter((entry) => entry.sessionId !== sessionId || entry.interaction.interactionId !== interactionId);
}

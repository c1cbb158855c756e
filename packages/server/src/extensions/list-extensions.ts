import { findPrompt } from '@parleyhq/core';
import type {
  DiscardMessage,
  DraftMessage,
  EscalationTimers,
  Extension,
  GrantCover,
  PromptTimers,
  SecretExchange,
  SessionHub,
  SessionMessage,
  SessionTabs,
  Starts,
  StreamMessage,
} from '@parleyhq/runtime';
import type { QuotaService, SpentMessage } from '../auth/quota-service.ts';
import type { GrantsFeed } from './feeds/grants-feed.ts';
import type { SessionListFeed } from './feeds/session-list-feed.ts';
import type { FileSweep } from './files/file-sweep.ts';
import type { ClaimMessage, Claims } from './inbox/claims.ts';
import type { Inbox } from './inbox/inbox.ts';
import type { SessionChanges } from './nodes/session-changes.ts';
import type { NotificationService } from './notifications/notification-service.ts';
import type { FollowersMessage } from './presence/followers.ts';
import type { Presence } from './presence/presence.ts';
import type { CommentBoard } from './programs/comment-board.ts';
import type { FreshResults, ResultTold, ResultWanted } from './programs/fresh-results.ts';
import type { ResultBoard } from './programs/result-board.ts';
import type { Retention } from './retention/retention.ts';
import type { Metrics } from './telemetry/metrics.ts';
import type { Traces } from './telemetry/traces.ts';

interface Capabilities {
  readonly hub: SessionHub;
  readonly retention: Retention;
  readonly starts: Starts;
  readonly timers: PromptTimers;
  readonly escalations: EscalationTimers;
  readonly inbox: Inbox;
  readonly claims: Claims;
  readonly notifications: NotificationService;
  readonly lists: SessionListFeed;
  readonly grantsFeed: GrantsFeed;
  readonly cover: GrantCover;
  readonly fileSweep: FileSweep;
  readonly board: ResultBoard;
  readonly comments: CommentBoard;
  readonly freshResults: FreshResults;
  readonly metrics: Metrics;
  readonly traces: Traces;
  readonly presence: Presence;
  readonly quotas: QuotaService;
  readonly secretExchange: SecretExchange;
  readonly sessionChanges: SessionChanges;
}

/**
 * All extensions. Their order is part of the design: whatever can act on an answer is armed before any client knows of the
 * prompt (INT1), and nobody is notified once the server stops. docs/architecture.md lists those that follow commits.
 */
export function listExtensions(all: Capabilities): readonly Extension[] {
  const { hub, claims, notifications, presence, quotas, secretExchange, board, freshResults } = all;
  return [
    { name: 'retention', stop: () => all.retention.stop() },
    { name: 'starts', stop: () => all.starts.stop() },
    { name: 'timers', follow: (change) => all.timers.follow(change), stop: () => all.timers.stop() },
    { name: 'escalations', follow: (change) => all.escalations.follow(change), stop: () => all.escalations.stop() },
    { name: 'waiters', follow: (change) => change.session.wake(change) },
    {
      name: 'tabs',
      follow: (change) => change.session.broadcast(change),
      messages: {
        stream: (message: StreamMessage, _, session) => {
          const isCurrent = session.head.turn?.turnId === message.part.turnId;
          if (isCurrent && !session.isOwned) session.tabs.stream.receive(message);
        },
        stream_discarded: ({ responseId }: DiscardMessage, _, session) => session.tabs.stream.forget(responseId),
        streams_wanted: (_: SessionMessage, __, session) => publishStreams(session),
        draft: (message: DraftMessage, _, session) => session.tabs.relayDraft(message),
      },
      republish: async () => {
        const loaded = await Promise.allSettled(hub.loaded()); // whoever asked for one that cannot be loaded gets the error
        for (const each of loaded) if (each.status === 'fulfilled') publishStreams(each.value.session);
      },
    },
    { name: 'inbox', follow: (change) => all.inbox.follow(change) },
    {
      name: 'claims',
      follow: (change) => claims.follow(change),
      messages: {
        claim: (message: ClaimMessage, _, session) => {
          const prompt = findPrompt(session.head, message.interactionId);
          if (prompt) claims.receive(message, prompt);
        },
      },
      republish: () => claims.republish(),
    },
    {
      name: 'notifications',
      follow: (change) => notifications.scheduler.follow(change),
      replicated: notifications.attention.people,
      storeChanges: { devices: () => notifications.reloadDevices() },
      onNodes: (_, isLeader) => notifications.takeTurns(isLeader),
      stop: () => notifications.stop(),
    },
    { name: 'lists', follow: (change) => all.lists.follow(change), stop: () => all.lists.stop() },
    {
      name: 'grants',
      follow: (change) => all.grantsFeed.follow(change),
      storeChanges: { grants: ({ sessionId }) => all.grantsFeed.changed(sessionId) },
      stop: () => all.grantsFeed.stop(),
    },
    { name: 'covering', follow: (change) => all.cover.follow(change) },
    { name: 'files', follow: (change) => all.fileSweep.follow(change), stop: () => all.fileSweep.stop() },
    {
      name: 'results',
      follow: (change) => board.follow(change),
      messages: {
        result_wanted: (message: ResultWanted, from) => freshResults.onWanted(from, message),
        result_told: (message: ResultTold, from) => freshResults.onTold(from, message),
      },
    },
    { name: 'comments', follow: (change) => all.comments.follow(change) },
    { name: 'metrics', follow: (change) => all.metrics.follow(change) },
    { name: 'traces', follow: (change) => all.traces.follow(change) },
    {
      name: 'presence',
      messages: { followers: (message: FollowersMessage, from) => presence.receive(message, from) },
      republish: () => presence.followers.republish(),
      onNodes: (others) => presence.forgetNodesBut(others),
      replicated: presence.counts,
      stop: () => presence.stop(),
    },
    {
      name: 'quotas',
      messages: { spent: (message: SpentMessage) => quotas.addSpent(message) },
      replicated: quotas.connections,
    },
    { name: 'secrets', replicated: secretExchange.publicKeys },
    { name: 'sessions', storeChanges: all.sessionChanges.handlers },
  ];
}

/** Text that is being written travels from the node that runs the turn to all others. */
function publishStreams({ isOwned, tabs }: { readonly isOwned: boolean; readonly tabs: SessionTabs }): void {
  if (isOwned) tabs.stream.publishAll();
}

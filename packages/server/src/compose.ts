import { randomUUID } from 'node:crypto';
import { clientFrameSchema, interactionSpecSchema, limits, type RefusalError } from '@parleyhq/core';
import {
  AgentRegistry,
  CallGates,
  type CallServices,
  Channels,
  type Client,
  type Durations,
  defaultDurations,
  defaultTurnLimits,
  EscalationTimers,
  type Extension,
  findReview,
  GrantCover,
  GrantService,
  LeftSessions,
  limitsReachedBy,
  makeMatcher,
  makePluginLog,
  makeSafeLog,
  type Node,
  newId,
  noPeers,
  type Peers,
  PlannedTurn,
  PromptTimers,
  publishTo,
  Reviewers,
  SecretExchange,
  Secrets,
  SessionHub,
  type SessionPorts,
  SessionRuntime,
  Starts,
  Subscriptions,
  Suggestions,
  systemClock,
  ToolRegistry,
  type TurnServices,
} from '@parleyhq/runtime';
import { type Logger, pino } from 'pino';
import { demoAgent } from './adapters/agent/demo.ts';
import { Auth } from './auth/auth.ts';
import { StepUpDesk } from './auth/passkeys/step-up.ts';
import { QuotaService } from './auth/quota-service.ts';
import { Tickets } from './auth/ticket.ts';
import { Voters } from './auth/voters.ts';
import { WaitingRequests } from './auth/waiting-requests.ts';
import { makeChatDesk } from './connection/chat-desk.ts';
import { compileSchemas } from './connection/compile-schemas.ts';
import type { GatewayOptions } from './connection/gateway.ts';
import { ReadTurns } from './connection/read-turns.ts';
import { GrantsFeed } from './extensions/feeds/grants-feed.ts';
import { SessionListFeed } from './extensions/feeds/session-list-feed.ts';
import { FileService } from './extensions/files/file-service.ts';
import { FileSweep } from './extensions/files/file-sweep.ts';
import { Claims } from './extensions/inbox/claims.ts';
import { Inbox } from './extensions/inbox/inbox.ts';
import { listExtensions } from './extensions/list-extensions.ts';
import { CommonClock } from './extensions/nodes/common-clock.ts';
import { joinOthers } from './extensions/nodes/join-others.ts';
import type { Membership } from './extensions/nodes/membership.ts';
import { NodeLink } from './extensions/nodes/node-link.ts';
import { SessionChanges } from './extensions/nodes/session-changes.ts';
import { linkTo } from './extensions/notifications/make-notification.ts';
import { NotificationService } from './extensions/notifications/notification-service.ts';
import { makePushKeys } from './extensions/notifications/push-keys.ts';
import { Presence } from './extensions/presence/presence.ts';
import { CallFiles } from './extensions/programs/call-files.ts';
import { makeCallbackAddresses } from './extensions/programs/callback-addresses.ts';
import { CommentBoard } from './extensions/programs/comment-board.ts';
import { FreshResults } from './extensions/programs/fresh-results.ts';
import { ProgramCalls } from './extensions/programs/program-calls.ts';
import { ResultBoard } from './extensions/programs/result-board.ts';
import type { Programs } from './extensions/programs/run-for-caller.ts';
import { Retention } from './extensions/retention/retention.ts';
import { StatisticsService } from './extensions/statistics/statistics-service.ts';
import { Metrics } from './extensions/telemetry/metrics.ts';
import { timeAppends } from './extensions/telemetry/timed-event-store.ts';
import { Traces } from './extensions/telemetry/traces.ts';
import type { ServerOptions } from './server-options.ts';

/** The parts of a server, wired together. */
export interface ServerParts {
  readonly extensions: readonly Extension[];
  readonly hub: SessionHub;
  readonly membership: Membership;
  readonly inbox: Inbox;
  readonly clients: ReadonlySet<Client>;
  readonly auth: Auth;
  readonly metrics: Metrics;
  readonly log: Logger;
  readonly secrets: Secrets;
  readonly node: Node;
  readonly durations: Durations;
  readonly gateway: GatewayOptions;
  readonly programs: Programs;
  readonly tickets: Tickets;
  readonly quotas: QuotaService;
  readonly voters: Voters;
  readonly stepUp: StepUpDesk;
  readonly files: FileService;
  readonly fileSweep: FileSweep;
  readonly notifications: NotificationService;
  readonly registry: ToolRegistry;
  readonly reviewers: Reviewers;
  readonly retention: Retention;
  readonly statistics: StatisticsService;
  readonly starts: Starts;
  /** Aborted when the server stops, which releases all waiting requests. */
  readonly stopping: AbortController;
  stop(): Promise<void>;
}

/**
 * Creates the server's parts and connects them. Apart from the server itself, this is the only file that imports from every
 * folder.
 * @throws Error that names both plugins or agents if two of them conflict
 */
export function compose(options: ServerOptions): ServerParts {
  compileSchemas(clientFrameSchema, interactionSpecSchema);
  const clock = new CommonClock(options.now ?? Date.now);
  const node: Node = {
    id: newId(),
    clock: systemClock,
    startedAt: systemClock.elapsed(),
    now: () => clock.now(),
    uuid: randomUUID,
  };
  const durations = { ...defaultDurations, ...options.durations };
  const secrets = new Secrets();
  const secretExchange = new SecretExchange();
  if (options.token !== undefined) secrets.keep(options.token);
  const log = makeSafeLog(options.log ?? pino({ level: 'silent' }), secrets, options);
  const clients = new Set<Client>();
  const subscriptions = new Subscriptions();
  const traces = new Traces();
  const metrics = new Metrics(() => node.now(), {
    clients,
    left: () => starts.reEntries.left,
    loaded: () => hub.size,
    inbox: () => inbox,
  });
  const store = timeAppends(options.store, (seconds) => metrics.appendSeconds.observe(seconds));
  const channels = new Channels(store.outside);
  const auth = new Auth({
    token: options.token,
    store,
    nodeId: node.id,
    channelsOf: (principal) => channels.of(principal),
    now: () => node.now(),
    freshLoginMs: durations.freshLoginMs,
    onWrong: ({ door, address, wait }) => {
      metrics.wrongTokens.inc({ door });
      if (!wait) log.warn({ door, address }, 'a wrong token');
      else if (wait.isLonger)
        log.warn({ door, address, waitMs: wait.ms }, 'too many wrong tokens: refusing further ones');
    },
  });
  const logOf = (plugin: string) => makePluginLog(log.child({ plugin }), secrets);
  const { registry, agents } = register(options);
  const stopping = new AbortController();

  const inbox = new Inbox(clients, subscriptions, store.index);
  const link = store.bus && new NodeLink({ bus: store.bus, nodeId: node.id, log });
  const peers: Peers = link ?? noPeers;
  const publishToPeers = peers.publish;
  const freshResults = new FreshResults(peers, secretExchange);
  const comments = new CommentBoard({ clients, hub: () => hub });
  const claims = new Claims({ clients, inbox, now: () => node.now(), publishToPeers });
  const lists = new SessionListFeed(clients, inbox);
  const notificationSettings = options.reach ?? { keys: makePushKeys() };
  const tickets = new Tickets(notificationSettings.keys.sealKey, store.epoch);
  const notifications: NotificationService = new NotificationService({
    settings: notificationSettings,
    store,
    auth,
    tickets,
    inbox,
    plugins: options.plugins ?? [],
    logOf,
    keepSecret: (value) => secrets.keep(value),
    hasSecret: (value) => secrets.occursIn(value),
    deskOf: (chat) => makeChatDesk(chat, { ...services, auth, store, tickets, notifications, now: () => node.now() }),
    durations,
    now: () => node.now(),
    stopping: stopping.signal,
    mayNotify: () => membership.isAlive,
    onAttempt: (way, result) => metrics.deliveries.inc({ way, result }),
    log,
  });
  const { scheduler, attention } = notifications;
  const grantsFeed = new GrantsFeed(clients);
  const presence = new Presence(clients, subscriptions, publishToPeers);
  const grants = new GrantService({
    log,
    store: store.grants,
    tools: registry,
    node,
    news: { changed: (id) => grantsFeed.changed(id), given: (id) => cover.cover(id) },
  });
  const statistics = new StatisticsService({ store: store.statistics, sessions: store.sessions, grants });
  const { suggestAfter } = options;
  const suggestions = new Suggestions({ suggestAfter, registry, grants, node, log, store });
  const gates = new CallGates(options.plugins ?? [], { log, limitMs: durations.gateMs });
  const policies = options.policies ?? [];
  const reviewers = new Reviewers(options, { log, logOf, limitMs: durations.reviewMs, stopping: stopping.signal });
  const framesPerSecond = options.framesPerSecond ?? limits.framesPerSecond;
  const reached = (limit: Parameters<Metrics['reached']>[0]) => metrics.reached(limit);
  const quotas = new QuotaService(
    { ...options.quotas, framesPerSecond },
    reached,
    () => performance.now(),
    publishToPeers,
  );
  const fileSweep: FileSweep = new FileSweep({
    ...{ store: options.files, sessions: store.sessions, audit: store.audit },
    ...{ hub: () => hub, log },
  });
  const files = new FileService({ store: options.files, quotas, reached, begun: (id) => fileSweep.meet(id) });
  const callFiles = new CallFiles({ tickets, files, baseUrl: () => notifications.baseUrl(), now: () => node.now() });
  const board = new ResultBoard({ clients, index: store.index, fresh: freshResults, files: callFiles });
  const starts = new Starts({ state: store.pluginState, steadyMs: durations.steadyMs, log });
  const calls: CallServices = {
    toolbox: { registry, policies, gates, reviewers },
    grants,
    asking: {
      ...{ durations, stepUp: options.stepUp },
      availability: (id, asked) => presence.availability(id, asked, () => scheduler.canNotify(id, asked)),
      patience: (id, asked) =>
        scheduler.canNotify(id, asked)
          ? { timeoutMs: durations.unwatchedTimeoutMs, isUnwatched: true }
          : { timeoutMs: durations.interactionTimeoutMs },
      reached: (limit) => metrics.reached(limit),
    },
    host: {
      ...{ node, store, log, secrets, errorDetail: options, secretExchange, files },
      ran: (tool, ownMs) => metrics.toolSeconds.observe({ tool }, ownMs / 1000),
      slept: (calls) => metrics.callsHibernated.inc(calls),
    },
    callbacks: makeCallbackAddresses(tickets, () => notifications.findBaseUrl()),
    reEntries: starts.reEntries,
  };
  const turns: TurnServices = {
    ...{ agents, calls, limits: { ...defaultTurnLimits, ...options.turnLimits } },
    cover: (id) => cover.cover(id),
  };
  const sessionChanges = new SessionChanges({ sessions: store.sessions, hub: () => hub, lists });
  const hub: SessionHub = new SessionHub({
    sessions: store.shared ? sessionChanges.sessions : store.sessions,
    load: (record) => SessionRuntime.load(ports, turns, record),
    forget: async (id) => {
      await agents.forget(id, log);
      await fileSweep.forget(id);
    },
    channels,
    lists,
    left: new LeftSessions({
      isShared: store.shared !== undefined,
      publish: (change) => publish(change),
      reEntries: starts.reEntries,
      endsWithRequest: (toolName) => programCalls.endsWithRequest(toolName),
    }),
    node,
    freshLoginMs: durations.freshLoginMs,
    durations,
  });
  const cover = new GrantCover({
    grants,
    findCoverable: (id) => inbox.findCoverable(id),
    open: (id) => hub.open(id),
    log,
  });
  void starts.reEntries.opened.then(() => cover.cover(undefined)); // the process may have been killed in between (APR4)
  const timers = new PromptTimers({
    node,
    restartGraceMs: durations.restartGraceMs,
    expire: async (sessionId, interactionId, deadline) => (await hub.open(sessionId)).expire(interactionId, deadline),
    log,
  });
  const escalations = new EscalationTimers({
    node,
    escalate: async (sessionId, interactionId, step) => (await hub.open(sessionId)).escalate(interactionId, step),
    log,
  });

  const ports: SessionPorts = {
    store,
    facts: (agent, matches = makeMatcher(() => metrics.reached('patternMs'))) => ({
      now: node.now(),
      matches, // each decision has its own time budget (SEC11)
      plan: new PlannedTurn({ agent, model: agents.model, owner: node.id }),
    }),
    publishing: {
      publish: (change) => publish(change),
      refused: (refusal) => countRefusal(metrics, refusal),
      subscriptions,
      publishToPeers,
    },
    pluginOf: (toolName, agent) => grants.pluginOf(toolName, agent),
    secretExchange,
    freshLoginMs: durations.freshLoginMs,
    log,
  };

  const programCalls = new ProgramCalls({ hub, calls, store, quotas });
  const requests = new WaitingRequests(quotas);
  const boards = { board, comments, files: callFiles };
  const programs: Programs = { hub, calls: programCalls, ...boards, requests, stopping: stopping.signal, log };
  const voters = new Voters(store.tokens);
  const stepUp = new StepUpDesk({
    ...{ passkeys: store.passkeys, now: () => node.now(), frameAncestors: options.frameAncestors ?? [] },
    linkTo: (prompt) => linkTo(prompt, notifications.baseUrl()),
  });
  const services = {
    ...{ hub, presence, attention, inbox, claims, grants, suggestions },
    ...{ agents, quotas, voters, stepUp, programs, files },
    findReview: (toolName: string) => findReview(policies, toolName),
  };
  const about = { epoch: store.epoch, version: options.version ?? '0.0.0', framesPerSecond };
  const gateway: GatewayOptions = {
    services,
    credentials: {
      check: (token, address) => auth.checkToken(token, 'hello', address),
      isCurrent: (credential) => auth.isCurrent(credential),
    },
    welcome: { services, node, about },
    ...{ turns: new ReadTurns(), watch: { metrics, log } },
  };
  const retention = new Retention({
    limits: options.retention ?? {},
    sessions: store.sessions,
    hub,
    isOurs: () => membership.isLeader,
    isFollowedElsewhere: (id) => presence.followers.isFollowedElsewhere(id),
    now: () => node.now(),
    log,
  });
  const extensions = listExtensions({
    hub,
    retention,
    starts,
    timers,
    escalations,
    inbox,
    claims,
    notifications,
    lists,
    grantsFeed,
    cover,
    fileSweep,
    board,
    comments,
    freshResults,
    metrics,
    traces,
    presence,
    quotas,
    secretExchange,
    sessionChanges,
  });
  const publish = publishTo(extensions, log);
  const membership = joinOthers(store.shared, { extensions, hub, programCalls, node, clock, link, log });
  const stop = async () => {
    for (const { name, stop: stopExtension } of extensions) {
      try {
        await stopExtension?.();
      } catch (error) {
        log.error({ extension: name, error }, 'an extension could not be stopped');
      }
    }
    await membership.stop();
    await hub.stop();
  };
  return {
    ...{ extensions, hub, membership, inbox, clients, auth, metrics, log, secrets, node, durations, gateway, programs },
    ...{ quotas, voters, stepUp, files, fileSweep, notifications, tickets, registry, reviewers, retention, statistics },
    ...{ starts, stopping },
    stop,
  };
}

/**
 * Registers the tools and agents of plugins and options. `demo` runs whatever anybody asks of it, so it is left out if another
 * agent is the default, unless it is listed.
 */
function register({ plugins = [], agents = [], defaultAgent = demoAgent.name, model }: ServerOptions) {
  const others = [...agents, ...plugins.flatMap((plugin) => plugin.agents ?? [])];
  const isOtherChosen = defaultAgent !== demoAgent.name && others.some(({ name }) => name === defaultAgent);
  const all = isOtherChosen ? others : [...new Set([demoAgent, ...others])];
  const registry = new ToolRegistry(plugins);
  return { registry, agents: new AgentRegistry(all, { defaultName: defaultAgent, model, tools: registry.offers }) };
}

function countRefusal(metrics: Metrics, refusal: RefusalError): void {
  metrics.refused(refusal);
  for (const limit of limitsReachedBy(refusal)) metrics.reached(limit);
}

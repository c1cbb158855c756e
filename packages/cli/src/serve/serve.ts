import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Store } from '@parleyhq/core';
import {
  demoAgent,
  hasHostName,
  makeToken,
  nameLoopback,
  openFolderFiles,
  openPushKeys,
  openReceiptKey,
  ParleyServer,
  requireSafeAddress,
  type ServerOptions,
} from '@parleyhq/server';
import type { Logger } from 'pino';
import { readVersion } from '../own-package.ts';
import { makeServerKey } from '../running-server/running-server.ts';
import { toUrlHost } from '../running-server/url-host.ts';
import { adoptDataDir } from '../settings/data-dir.ts';
import { keepPort } from '../settings/last-port.ts';
import { fillNotifiers } from '../settings/notifier-settings.ts';
import { fillOidc } from '../settings/oidc-setting.ts';
import { fillReviewers } from '../settings/reviewer-settings.ts';
import { type Settings, SettingsError } from '../settings/settings.ts';
import type { Trust } from '../settings/trust.ts';
import { findFilesDir, openStore, requireFile } from '../store/open-store.ts';
import { describePowers, summarizeAccess } from './access-summary.ts';
import { chooseAgents } from './agents.ts';
import { startAuditSink } from './audit-sink.ts';
import { clearStart } from './clear-start.ts';
import { guardProcess } from './guard.ts';
import { openLog } from './log.ts';
import { openBrowser } from './open-browser.ts';
import { refuseLesserToken } from './own-token.ts';
import { loadPlugins } from './plugins.ts';
import { ServerSupervisor } from './server-supervisor.ts';
import type { ReadyMessage } from './watch.ts';

/** `parley serve`: the composition root. Resolves when the server is ready. @throws SettingsError, StoreError, Error */
export async function serve(settings: Settings, trust: Trust): Promise<void> {
  const uncleared = clearStart(settings.token, settings.store);
  const log = await openLog(settings);
  if (uncleared !== undefined && settings.token !== undefined)
    log.warn(
      { error: String(uncleared) },
      'programs of this user may read the token in /proc: it could not be cleared',
    );
  const token = settings.auth ? (settings.token ?? makeToken()) : undefined;
  const { agents, model, hint } = chooseAgents(settings, process.env);
  const { agent: defaultAgent, allowedOrigins, behindProxy: isBehindProxy, dataDir, host } = settings;
  requireSafeAddress({ host, token, isBehindProxy });
  requirePeople(settings);
  const { plugins, configs, files } = await loadPlugins(settings, process.cwd());
  if (settings.auditSink !== undefined) requireFile(settings, 'serve --audit-sink');
  const store = await openStore(settings);
  if (token !== undefined && settings.token !== undefined)
    await refuseLesserToken(store, token).catch(async (error: unknown) => {
      await store.close();
      throw error;
    });
  if (settings.isDataDirFound) adoptDataDir(dataDir, trust);
  const powers = await summarizeAccess(settings, store);
  if (settings.auditSink !== undefined) {
    const onFailure = (error: unknown) =>
      log.error(
        { error: error instanceof Error ? error.message : String(error) },
        'could not reach the audit sink: rows are delayed',
      );
    await startAuditSink({ dataDir, to: settings.auditSink, onFailure }).catch(async (error: unknown) => {
      await store.close();
      throw error;
    });
  }
  const {
    interactionTimeoutMs,
    toolTimeoutMs,
    setupTimeoutMs,
    pendingTtlMs,
    mcpWaitMs,
    freshLoginMs,
    hibernateAfterMs,
  } = settings;
  const { unwatchedTimeoutMs, notifyAfterMs, publicUrl, pushContact, privateReceivers } = settings;
  const { framesPerSecond, unadmittedSockets, maxRounds, tokenBudget } = settings;
  const options: Omit<ServerOptions, 'store'> = {
    files: openFolderFiles(findFilesDir(settings)),
    plugins,
    pluginConfigs: configs,
    agents,
    policies: settings.policies,
    reviewers: fillReviewers(settings.reviewers, process.env),
    stepUp: settings.stepUp,
    suggestAfter: settings.suggestAfter,
    defaultAgent,
    model,
    token,
    oidc: fillOidc(settings.oidc, process.env),
    identityKey: makeServerKey(dataDir),
    receiptKey: () => openReceiptKey(dataDir),
    allowedOrigins,
    frameAncestors: settings.frameAncestors,
    isBehindProxy,
    dataDir,
    assetsDir: findAssets(log),
    durations: {
      ...{ interactionTimeoutMs, unwatchedTimeoutMs, notifyAfterMs, pendingTtlMs, mcpWaitMs, hibernateAfterMs },
      ...{ setupTimeoutMs, toolTimeoutMs, freshLoginMs: freshLoginMs ?? 0 },
    },
    reach: {
      keys: openPushKeys(dataDir),
      contact: pushContact,
      publicUrl: publicUrl ?? (isBehindProxy ? allowedOrigins[0] : undefined),
      allowsPrivate: privateReceivers,
      notifiers: fillNotifiers(settings.notifiers, process.env),
    },
    framesPerSecond,
    quotas: settings.quotas,
    retention: settings.retention,
    turnLimits: { ...(maxRounds !== undefined && { maxRounds }), tokenBudget },
    unadmittedSockets,
    log,
    logsMessages: settings.watch, // the plugin's author reads the log
    version: readVersion(),
  };
  const makeServer = (opened: Store) => {
    if (opened.isRewound)
      log.warn(
        'the database is older than the state that clients have: it has a new epoch, and tabs reload their sessions',
      );
    return new ParleyServer({ ...options, store: opened });
  };
  const first = makeServer(store);
  const server = new ServerSupervisor(first, async () => makeServer(await openStore(settings)));
  guardProcess({ server, plugins, files });
  const port = await server.listen({ port: settings.port, host }).catch(async (error: unknown) => {
    await store.close();
    throw explainListen(error, settings);
  });
  try {
    keepPort(dataDir, port);
  } catch (error) {
    log.warn({ error: String(error) }, 'could not store the port: commands need --port to find this server');
  }
  checkHostName(settings, port, log);
  if (Object.values(powers).some(({ length }) => length > 0))
    log.info(powers, 'access and policies from the data directory and the config file');
  const notes = [...describePowers(powers), ...(hint === undefined ? [] : [hint])];
  const url = announce(settings, { port, token, notes, code: await first.makeLoginCode() });
  if (process.send) process.send({ port, url } satisfies ReadyMessage);
  else if (settings.open) openBrowser(url, dataDir);
}

/** @throws SettingsError if passkeys are demanded although anybody is admitted without a log-in (SIGN2) */
function requirePeople({ auth, stepUp }: Settings): void {
  if (stepUp && !auth)
    throw new SettingsError(
      '--no-auth admits everybody, so nobody can have a passkey: leave it out, or leave out stepUp.',
    );
}

/** Finds the folder of the built web app; without it the server still serves the API. */
function findAssets(log: Logger): string | undefined {
  const folder = join(dirname(fileURLToPath(import.meta.resolve('@parleyhq/web/package.json'))), 'dist');
  if (existsSync(join(folder, 'index.html'))) return folder;
  log.warn('the web app is not built: run "npm run build"');
  return undefined;
}

interface Announcement {
  readonly port: number;
  readonly token: string | undefined;
  /** Code that logs in one browser, once, because others may see the address later (SEC2). */
  readonly code: string | undefined;
  readonly notes: readonly string[];
}

function announce(settings: Settings, { port, token, code, notes }: Announcement): string {
  const base = baseUrl(settings, port);
  const url = code === undefined ? base : `${base}#code=${code}`;
  if (settings.json) {
    process.stdout.write(`${JSON.stringify({ ready: true, url, port, token: token ?? null, pid: process.pid })}\n`);
  } else {
    process.stdout.write(greeting(settings, url, token, notes));
  }
  return url;
}

/** The URL for people: behind a proxy, the first allowed origin; never an all-interfaces address, which browsers cannot open. */
function baseUrl({ host, behindProxy, allowedOrigins: [origin], stepUp }: Settings, port: number): string {
  if (behindProxy && origin !== undefined) return new URL('/', origin).href;
  const name = stepUp ? nameLoopback(toUrlHost(host)) : toUrlHost(host); // passkeys need a host name
  return `http://${name}:${port}/`;
}

/** Logs that nobody can add a passkey, if none of the server's addresses has a host name (SIGN2). */
function checkHostName(settings: Settings, port: number, log: Logger): void {
  const url = baseUrl(settings, port);
  const isNamed = [url, ...settings.allowedOrigins].some((address) => hasHostName(new URL(address)));
  if (settings.stepUp && !isNamed)
    log.warn(
      `Passkeys need a host name, so nobody can add one at ${url}: leave --host out, or name an address that has one in allowedOrigins`,
    );
}

function greeting(settings: Settings, url: string, token: string | undefined, notes: readonly string[]): string {
  const isNew = token !== undefined && settings.token === undefined;
  const door = isNew ? describeToken(token) : token === undefined ? openDoor : ownToken;
  const words = settings.agent === demoAgent.name ? demoWords : '.';
  const isClosed = settings.behindProxy && settings.allowedOrigins.length === 0;
  const place = isClosed ? noOrigin : `Parley is ready: ${url}\n  ${door}\n\n  Open it in two tabs${words}`;
  return `
  ${place}
  The agent of new sessions is "${settings.agent}"; data is stored in ${settings.store === undefined ? settings.dataDir : 'PostgreSQL'}. Ctrl+C stops.${notes.map((note) => `\n  ${note}`).join('')}

`;
}

const noOrigin =
  'Parley is ready, but its page opens nowhere: name the address of the proxy in PARLEY_ALLOWED_ORIGINS, such as https://parley.example.org.';
const openDoor = 'Anyone on this machine has access (--no-auth).';
const ownToken = 'This address logs in one browser, once; others log in with the token.';

/** Names the new token, which browsers and programs need unless the address logs them in. */
function describeToken(token: string): string {
  return `This address logs in one browser, once; others log in with this token: ${token}`;
}

/** The demo agent has no model to chat with, so the greeting suggests a command. */
const demoWords = ', and try:  /call ask_user {"question":"Tea or coffee?","options":["Tea","Coffee"]}';

function explainListen(error: unknown, { host, port }: Settings): unknown {
  if (!(error instanceof Error) || !('code' in error)) return error;
  if (error.code === 'EADDRINUSE') {
    return new Error(
      `Port ${port} is taken: stop what is listening there, or choose another with --port (0 picks a free one).`,
      { cause: error },
    );
  }
  if (error.code === 'EADDRNOTAVAIL') return new Error(`This machine has no address ${host}.`, { cause: error });
  return error;
}

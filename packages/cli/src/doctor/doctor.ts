import { ExitError, RefusalError, type SessionId, StoreError } from '@parleyhq/core';
import { hasHostName, nameLoopback } from '@parleyhq/server';
import { toJsonLine, toLine } from '../io/line.ts';
import { lineOf } from '../io/topic.ts';
import { refusePlace, serverOf } from '../running-server/named-server.ts';
import { requireTrustedAddress } from '../running-server/running-server.ts';
import { ServerHttp } from '../running-server/server-http.ts';
import { toUrlHost } from '../running-server/url-host.ts';
import { useServer } from '../running-server/use-server.ts';
import type { ServerFlags } from '../settings/flags.ts';
import { type Flags, readSettings, type Settings, SettingsError } from '../settings/settings.ts';
import { openTokens } from '../store/open-store.ts';
import { examineAddress } from './address.ts';
import { examineConfigured } from './configured.ts';
import { examineDataDirectory } from './data-directory.ts';
import { examineDatabase } from './database.ts';
import { type Finding, fault, note, ok, wordsOf } from './finding.ts';
import { examinePrograms } from './programs.ts';
import { examineQuestion, type Present } from './question.ts';
import { examineTokens } from './tokens.ts';

export type DoctorFlags = ServerFlags & { readonly send?: boolean };

/**
 * `parley doctor`: examines everything between a question and a person, and prints what is wrong and what to do.
 * @param id - of a session, call or prompt, to find out why nobody sees it
 * @throws ExitError 1 if something is wrong; SettingsError for wrong usage
 */
export async function doctor(id: string | undefined, flags: DoctorFlags): Promise<void> {
  const { url, send, json, ...rest } = flags;
  const findings = url === undefined ? await examineHere(id, rest, send === true) : await examineThere(id, url, rest);
  for (const finding of findings) process.stdout.write(json ? toJsonLine(finding) : describe(finding));
  const faults = findings.filter(({ level }) => level === 'fault').length;
  if (faults > 0) throw new ExitError(1, faults === 1 ? '1 fault was found.' : `${faults} faults were found.`);
}

const marks = { ok: 'ok   ', note: 'note ', fault: 'FAULT' };

function describe({ subject, level, code, words }: Finding): string {
  return `${marks[level]}  ${toLine(`${subject}: ${words}`)}${lineOf(code)}`;
}

/** Examines a server elsewhere, which may be asked only by its address. @throws SettingsError */
async function examineThere(id: string | undefined, url: string, flags: Flags): Promise<readonly Finding[]> {
  if (id !== undefined)
    throw new SettingsError('--url: an id is looked up in the data directory: run this on the computer that has it.');
  refusePlace(flags);
  if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol))
    throw new SettingsError(`--url: "${url}" is not an address such as https://parley.example.org.`);
  const { href: base, origin } = new URL('/', url);
  const token = flags.token ?? process.env.PARLEY_TOKEN;
  const [server, programs] = await Promise.all([
    examineAddress({ subject: 'Server', base, token: token === '' ? undefined : token }),
    examinePrograms({ urls: [origin] }, process.env),
  ]);
  return [...server, ...programs];
}

async function examineHere(id: string | undefined, flags: Flags, isSending: boolean): Promise<readonly Finding[]> {
  let settings: Settings;
  try {
    settings = await readSettings(flags, process.env, process.cwd());
    await requireTrustedAddress(settings);
  } catch (error) {
    if (!(error instanceof SettingsError)) throw error;
    return error.message.split(/\n(?! )/).map((words) => fault('Settings', 'settings', words)); // a list belongs to its line
  }
  if (id === '') throw new SettingsError('An empty id names nothing.');
  if (id !== undefined) return examineOne(id, settings, flags);
  const { configFile } = settings;
  const file = configFile === undefined ? 'There is no config file.' : `${configFile} is valid.`;
  const data = await examineData(settings);
  const [server, access, configured] = await Promise.all([
    examineServer(settings),
    data.isReadable ? examineAccess(settings) : examinePrograms({ urls: [] }, process.env),
    examineConfigured(settings, process.env),
  ]);
  const notified = await examineNotifiers(settings, flags, isSending);
  return [ok('Settings', file), ...data.findings, ...server, ...access, ...configured, ...notified];
}

interface Data {
  readonly findings: readonly Finding[];
  /** Whether this release can read the database as it is. */
  readonly isReadable: boolean;
}

/** Examines where the server keeps its data. */
async function examineData(settings: Settings): Promise<Data> {
  const folder = examineDataDirectory(settings);
  const isHere = !folder.some(({ code }) => code === 'no-data' || code === 'data-not-writable');
  if (settings.store === undefined && !isHere) return { findings: folder, isReadable: false };
  const database = await examineDatabase(settings);
  return { findings: [...folder, database], isReadable: database.level === 'ok' };
}

/** Examines the tokens, and whether those of connected programs are among them. */
async function examineAccess(settings: Settings): Promise<readonly Finding[]> {
  try {
    const { tokens, passkeys, close } = await openTokens(settings);
    try {
      const programs = await examinePrograms({ urls: listUrls(settings), tokens }, process.env);
      const keyless =
        settings.stepUp && (await passkeys.list()).length === 0
          ? [note('Passkeys', 'passkey-missing', keylessWords)]
          : [];
      return [...examineTokens(await tokens.list(), settings), ...keyless, ...programs];
    } finally {
      await close();
    }
  } catch (error) {
    if (!(error instanceof StoreError)) throw error;
    return [fault('Tokens', 'database', `They cannot be read: ${error.message}`)];
  }
}

/** The addresses at which programs on this computer, and people elsewhere, reach the server. */
function listUrls({ host, port, publicUrl, allowedOrigins }: Settings): readonly string[] {
  const local = ['localhost', '127.0.0.1', toUrlHost(host)].map((name) => `http://${name}:${port}`);
  const named = [...(publicUrl === undefined ? [] : [publicUrl]), ...allowedOrigins];
  return [...new Set([...local, ...named.map((url) => url.replace(/\/+$/, ''))])];
}

/** Examines the server where it listens, and at its public address. */
async function examineServer(settings: Settings): Promise<readonly Finding[]> {
  const { host, port, dataDir, token, publicUrl, behindProxy, allowedOrigins } = settings;
  const own = { dataDir, port };
  const base = `http://${toUrlHost(host)}:${port}/`;
  const named = publicUrl ?? (behindProxy ? allowedOrigins[0] : undefined);
  const isForPrograms = named !== undefined || behindProxy;
  const listening = [...(await examineAddress({ subject: 'Server', base, own, token, isForPrograms }))];
  if (listening.some(({ code }) => code === 'no-server')) return listening;
  listening.push(...findPasskeyFault(settings, named ?? base));
  if (named === undefined && behindProxy) return [...listening, fault('Address', 'address-refused', nameless)];
  if (named === undefined) return [...listening, note('Address', 'only-this-computer', onlyHere)];
  const setting = publicUrl === undefined ? 'allowedOrigins' : 'publicUrl';
  const outside = await examineAddress({ subject: 'Address', base: new URL('/', named).href, setting, own, token });
  return [...listening, ...outside];
}

const onlyHere =
  'Only this computer reaches the server: it has no public address. docs/remote.md shows how to give it one.';

const nameless =
  'behindProxy is set, and neither allowedOrigins nor publicUrl names the address at which people open the page: pages cannot connect. Name it in allowedOrigins.';

/** Passkeys need a host name, which may be `localhost`. */
function findPasskeyFault({ stepUp }: Settings, address: string): readonly Finding[] {
  const { hostname } = new URL(address);
  if (!stepUp || hasHostName({ hostname: nameLoopback(hostname) })) return [];
  const words = `Some answers need a passkey, and none works at ${hostname}, which has no name: docs/passkeys.md shows which addresses do.`;
  return [fault('Passkeys', 'passkey-address', words)];
}

/** Sends test notifications if that is wanted. @throws Error if the server cannot be asked */
async function examineNotifiers(settings: Settings, flags: Flags, isSending: boolean): Promise<readonly Finding[]> {
  const names = settings.notifiers.map(({ name, notifier }) => name ?? notifier);
  if (names.length === 0) return isSending ? [note('Notifiers', 'not-notified', noNotifier)] : [];
  if (!isSending) return [ok('Notifiers', `${names.join(', ')}: not tried. --send sends everybody a test.`)];
  const http = new ServerHttp(serverOf(settings, flags));
  const found = await Promise.all(
    names.map(async (name) => {
      try {
        const { results, absent } = await http.testNotifier(name);
        return [
          ...results.map(({ principal, name: called = principal, isTold, code, fault: words }) =>
            isTold
              ? ok(name, `${called} was notified.`)
              : fault(name, 'not-notified', `${called} was not notified (${code}): ${words}`),
          ),
          ...absent.map((word) =>
            fault(name, 'not-notified', `No token has the name or id "${word}": nobody is notified for it.`),
          ),
        ];
      } catch (error) {
        const isRefused = error instanceof RefusalError && error.code === 'unauthorised';
        return [fault(name, isRefused ? 'token-unknown' : 'not-notified', wordsOf(error))];
      }
    }),
  );
  return found.flat();
}

const keylessWords =
  'Some answers need a passkey, and nobody has one yet: people add theirs under Devices in the page.';

const noNotifier =
  'The settings have no notifier: while no page is open, only browsers that have subscribed are notified. docs/notifications.md shows how.';

async function examineOne(id: string, settings: Settings, flags: Flags): Promise<readonly Finding[]> {
  const { findings, isReadable } = await examineData(settings);
  if (!isReadable) return findings;
  const { tokens, passkeys, close } = await openTokens(settings);
  try {
    const facts = { tokens: await tokens.list(), passkeys: await passkeys.list() };
    const findPresentHere = (session: SessionId) => findPresent(session, settings, flags);
    return await examineQuestion(id, settings, { ...facts, findPresent: findPresentHere });
  } finally {
    await close();
  }
}

/** In ms: how long the server may take to say who has a session open. */
const presenceMs = 20_000;

/** Asks the running server who has a session open. @throws Error that says why it does not answer */
function findPresent(id: SessionId, settings: Settings, flags: Flags): Promise<Present> {
  return useServer(serverOf(settings, flags), async (client) => {
    const session = client.open(id);
    const present = await new Promise<Present>((resolve, reject) => {
      const look = () => {
        const found = client.state.presence.get(id);
        if (found) resolve(found);
        else if (session.state.phase === 'gone')
          reject(new Error('The token of this command does not see this session.'));
      };
      client.subscribe(look);
      session.subscribe(look);
      look();
      setTimeout(() => reject(new Error('The server does not answer.')), presenceMs).unref();
    });
    session.close();
    return withoutMe(present);
  });
}

/** This command has the session open, too, without answering. */
function withoutMe({ connections, enabled }: Present): Present {
  return { connections: connections - 1, enabled };
}

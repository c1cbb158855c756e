import {
  isRecord,
  type NotificationDetail,
  type Notifier,
  type Plugin,
  type PluginLog,
  pathOf,
  type QuietHours,
  suggestName,
} from '@parleyhq/core';
import { readableOf, readSchema } from '@parleyhq/core/schemas';
import { SettingsError } from '@parleyhq/runtime';
import type { Logger } from 'pino';
import type { NamedPerson } from '../../auth/auth.ts';
import type { Chats } from './chats.ts';
import { NotifierTarget, type NotifierTargetParts } from './notifier-target.ts';

/** Configuration of a notifier and its recipients; see docs/notifications.md. */
export interface NotifierSettings {
  /** Name of the notifier in its plugin. */
  readonly notifier: string;
  /** Name in deliveries, metrics and `parley notify test`. Default: the plugin's name for it */
  readonly name?: string | undefined;
  readonly detail?: Exclude<NotificationDetail, 'subject'> | undefined;
  readonly quiet?: QuietHours | undefined;
  /** Whether mail has links that open one prompt without a log-in, once. */
  readonly oneTimeLinks?: boolean | undefined;
  /** Config for all recipients. */
  readonly config?: Readonly<Record<string, unknown>> | undefined;
  /**
   * Config of each recipient, over `config`; by the id or name of a token, or `owner`. A chat may do without, and notifies whoever
   * linked an account; its recipients have no config of their own.
   */
  readonly people?: Readonly<Record<string, Readonly<Record<string, unknown>>>> | undefined;
}

export interface NotifiersOptions extends NotifierTargetParts {
  readonly plugins: readonly Plugin[];
  readonly settings: readonly NotifierSettings[];
  readonly logOf: (plugin: string) => PluginLog;
  /** Returns the people that these ids and names currently mean. */
  readonly findPeople: (words: readonly string[]) => Promise<ReadonlyMap<string, NamedPerson>>;
  /** Takes the notifiers that take answers. */
  readonly chats: Chats;
  /** Redacts a value in the log. */
  readonly keepSecret: (value: string) => void;
  /** Called when a recipient was added. */
  readonly onAdded: () => void;
  readonly log: Logger;
}

/** The only notifier whose messages go to one person only: brokers and channels can read what they relay (NTF3). */
const keyed = 'mail';

/** In ms: interval at which tokens are read, because other processes create and end them without notice (SEC9). */
const lookMs = 1000;

/** Members of a config whose values are redacted in the log (SEC8): whoever knows a topic of ntfy can read along. */
const secretMembers = /^(secret|\w*token|password|topic)$/i;

/** In characters: a shorter path is a name such as `/hooks/deploy`, not a secret. */
const shortestSecretPath = 16;

interface Recipient {
  /** Id or name of the person in the configuration. */
  readonly word: string;
  readonly way: string;
  readonly settings: NotifierSettings;
  readonly notifier: Notifier;
  readonly config: unknown;
  readonly log: PluginLog;
}

/** The configured recipients of all notifiers (NTF3). */
export class Notifiers {
  readonly #options: NotifiersOptions;
  readonly #targets = new Map<string, NotifierTarget>();
  /** Recipients for which the log has already warned that they are left out. */
  readonly #twice = new Set<string>();
  #recipients: readonly Recipient[] = [];
  #timer: NodeJS.Timeout | undefined;

  constructor(options: NotifiersOptions) {
    this.#options = options;
  }

  /** Recipients who can be notified now. */
  get targets(): Iterable<NotifierTarget> {
    return this.#targets.values();
  }

  /** Names of the configured notifiers. */
  get names(): readonly string[] {
    return [...new Set([...this.#recipients.map(({ way }) => way), ...this.#options.chats.names])];
  }

  /** Returns the configured recipients of a notifier who have no token now. */
  absentOf(way: string): readonly string[] {
    return this.#recipients
      .filter((each) => each.way === way && !this.#targets.has(keyOf(each)))
      .map(({ word }) => word);
  }

  find(id: string): NotifierTarget | undefined {
    return [...this.#targets.values()].find((target) => target.id === id);
  }

  /** Reads the configuration. @throws SettingsError that names what is invalid */
  async open(): Promise<void> {
    const { settings, plugins } = this.#options;
    const known = findNotifiers(plugins);
    const names = new Set<string>();
    const recipients: Recipient[] = [];
    for (const each of settings) {
      const { notifier: wanted, name = wanted } = each;
      const found = known.get(wanted);
      if (!found)
        throw new SettingsError(`notifiers: there is no notifier "${wanted}".${suggestName(wanted, known.keys())}`);
      if (names.has(name)) throw new SettingsError(`notifiers: two are called "${name}": give one another "name".`);
      if (each.oneTimeLinks && wanted !== keyed)
        throw new SettingsError(
          `notifiers: "${name}" cannot have "oneTimeLinks": only ${keyed} goes to one person alone.`,
        );
      names.add(name);
      if (found.notifier.listen) await this.#openChat(each, name, found);
      else if (each.people === undefined) throw new SettingsError(`notifiers: "${name}" needs "people".`);
      else recipients.push(...(await this.#read(each, name, found)));
    }
    requireOwnLinks(recipients);
    this.#recipients = recipients;
    await this.#look();
    if (recipients.length > 0) this.#watch();
  }

  stop(): void {
    clearTimeout(this.#timer);
    this.#recipients = [];
  }

  async #openChat(settings: NotifierSettings, way: string, { notifier, plugin }: FoundNotifier): Promise<void> {
    if (settings.detail !== undefined)
      throw new SettingsError(
        `notifiers: "${way}" cannot have "detail": a chat shows what its person may see. Set in the app what a lock screen shows.`,
      );
    const log = this.#options.logOf(plugin);
    const config = await this.#readConfig(notifier, settings.config ?? {}, `"${way}"`);
    for (const [word, own] of Object.entries(settings.people ?? {}))
      if (Object.keys(own).length > 0)
        throw new SettingsError(
          `notifiers: "${way}" cannot have settings for "${word}" alone: whoever is asked in a chat answers the same bot. Write "${word}": {}.`,
        );
    const people = settings.people && new Set(Object.keys(settings.people));
    this.#options.chats.add({ way, notifier, plugin, config, people, quiet: settings.quiet, log });
  }

  async #read(settings: NotifierSettings, way: string, { notifier, plugin }: FoundNotifier): Promise<Recipient[]> {
    const log = this.#options.logOf(plugin);
    return Promise.all(
      Object.entries(settings.people ?? {}).map(async ([word, own]) => {
        const given = { ...settings.config, ...own };
        const config = await this.#readConfig(notifier, given, `"${way}" for "${word}"`);
        return { word, way, settings, notifier, config, log };
      }),
    );
  }

  /** Checks a notifier's configuration. @throws SettingsError */
  async #readConfig(notifier: Notifier, given: Readonly<Record<string, unknown>>, what: string): Promise<unknown> {
    const { schema } = readSchema(notifier.configSchema, `Notifier "${notifier.name}": its configSchema`);
    this.#hide(given);
    const result = notifier.configSchema ? await schema['~standard'].validate(given) : { value: given };
    if (!result.issues) return result.value;
    const faults = result.issues.map((issue) => `${pathOf(issue).join('.') || 'config'}: ${readableOf(issue.message)}`);
    throw new SettingsError(`notifiers: ${what} does not fit: ${faults.join('; ')}`);
  }

  /** Redacts in the log what would give access to the receivers. */
  #hide(config: unknown): void {
    if (!isRecord(config)) return;
    for (const [name, value] of Object.entries(config)) {
      if (typeof value !== 'string') this.#hide(value);
      else
        for (const secret of secretMembers.test(name) ? [value] : findSecrets(value)) this.#options.keepSecret(secret);
    }
  }

  /** Warns that two names in the configuration mean one person, who is notified once. */
  #warnTwice({ way, word }: Recipient): void {
    if (this.#twice.has(`${way} ${word}`)) return;
    this.#twice.add(`${way} ${word}`);
    this.#options.log.warn({ way, word }, 'two names of a notifier mean one person: this one is left out');
  }

  #watch(): void {
    this.#timer = setTimeout(() => {
      this.#look()
        .catch((error: unknown) => this.#options.log.error({ error }, 'the tokens could not be read: trying again'))
        .finally(() => {
          if (this.#recipients.length > 0) this.#watch();
        });
    }, lookMs).unref();
  }

  /** Updates which of the configured recipients have a token now. */
  async #look(): Promise<void> {
    const { findPeople, onAdded, ...parts } = this.#options;
    if (this.#recipients.length === 0) return;
    const people = await findPeople([...new Set(this.#recipients.map(({ word }) => word))]);
    const seen = new Set<string>();
    let isMore = false;
    for (const recipient of this.#recipients) {
      const { word, way, settings, notifier, config, log } = recipient;
      const key = keyOf(recipient);
      const known = this.#targets.get(key);
      const person = people.get(word);
      const whom = `${way} ${person?.principal.id}`;
      const isTwice = person !== undefined && seen.has(whom);
      seen.add(whom);
      if (isTwice) this.#warnTwice(recipient);
      if (!person || isTwice) this.#targets.delete(key);
      else if (!known || stateOf(known) !== stateOf(person)) {
        const { detail = 'none', quiet, oneTimeLinks: hasOneTimeLinks = false } = settings;
        const target = { way, notifier, ...person, detail, quiet, hasOneTimeLinks, config, log };
        this.#targets.set(key, new NotifierTarget(target, parts));
        isMore = true;
      }
    }
    if (isMore) onAdded();
  }
}

/** What a target is made from, as far as it may change. */
const stateOf = ({ principal, since }: Pick<NamedPerson, 'principal' | 'since'>): string =>
  JSON.stringify([principal, since]);

const keyOf = ({ way, word }: Recipient): string => `${way} ${word}`;

/**
 * Requires separate addresses for recipients of one-time links: people who share a mailbox could use each other's (NTF3). @throws
 * SettingsError
 */
function requireOwnLinks(recipients: readonly Recipient[]): void {
  const words = new Map<string, string>();
  for (const { settings, way, word, config } of recipients) {
    if (!settings.oneTimeLinks) continue;
    const whereTo = `${way} ${JSON.stringify(config)}`;
    const other = words.get(whereTo);
    if (other !== undefined)
      throw new SettingsError(
        `notifiers: "${way}" has one address for "${other}" and "${word}": with "oneTimeLinks" each needs their own.`,
      );
    words.set(whereTo, word);
  }
}

/** Returns the parts of a URL that may give access: its password, and a path that is long enough to be secret. */
function findSecrets(text: string): string[] {
  if (!URL.canParse(text)) return [];
  const { password, pathname, search } = new URL(text);
  const path = pathname + search;
  return [password, ...(path.length >= shortestSecretPath ? [path] : [])].filter((part) => part !== '');
}

interface FoundNotifier {
  readonly notifier: Notifier;
  readonly plugin: string;
}

/** Collects the notifiers of all plugins. @throws Error if two have the same name */
function findNotifiers(plugins: readonly Plugin[]): Map<string, FoundNotifier> {
  const known = new Map<string, FoundNotifier>();
  for (const { name: plugin, notifiers = [] } of plugins)
    for (const notifier of notifiers) {
      const other = known.get(notifier.name);
      if (other)
        throw new Error(`Plugin "${plugin}" and plugin "${other.plugin}" both have a notifier "${notifier.name}".`);
      known.set(notifier.name, { notifier, plugin });
    }
  return known;
}

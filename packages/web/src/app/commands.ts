import type { ParleyClient } from '@parleyhq/client';
import type { Role, Session } from '@parleyhq/core';
import { logOut } from '../browser/login.ts';
import type { Route } from '../browser/route.ts';
import { followSystemTheme, isDark, isThemeChosen, toggleTheme } from '../browser/theme.ts';
import type { DialogName } from '../dialogs/dialogs.ts';
import { findNeeds } from '../inbox/own-prompts.ts';
import type { ExportFormat } from './save-session.ts';

/** A command of the page, listed in the palette under its name. */
export interface Command {
  readonly name: string;
  /** Keyboard shortcut that does the same. */
  readonly key?: string;
  run(): void;
}

/** What the palette can make the page do. */
export interface Commands {
  startNew(): void;
  /** Shows a session and moves the focus into it. */
  enter(route: Route): void;
  /** Searches the session on the page. */
  search(): void;
  rename(): void;
  remove(): void;
  goToNext(): void;
  showPermissions(): void;
  show(dialog: DialogName): void;
  pin(session: Session, pinned: boolean): void;
  archive(session: Session, archived: boolean): void;
  save(session: Session, format: ExportFormat): void;
}

const formats = { markdown: 'Markdown', html: 'HTML', jsonl: 'JSONL' } as const satisfies Record<ExportFormat, string>;

/** Returns the commands available now, including those for the session on the page. */
export function listCommands({ state }: ParleyClient, sessionId: string, commands: Commands): readonly Command[] {
  const { role, sessions: only } = state.welcome?.principal ?? {};
  const session = state.sessions.find(({ id }) => id === sessionId);
  return [
    ...(role === 'viewer' || only ? [] : [{ name: 'New session', run: commands.startNew }]),
    ...(findNeeds(state).length > 0 ? [{ name: 'Next open prompt', key: 'n', run: commands.goToNext }] : []),
    { name: 'Inbox', run: () => commands.enter({ place: 'inbox' }) },
    ...(session ? listSessionActs(session, role, commands) : []),
    { name: 'Permissions', run: commands.showPermissions },
    { name: 'Statistics', run: () => commands.show('statistics') },
    { name: 'Devices', run: () => commands.show('devices') },
    { name: 'Notifications', run: () => commands.show('notifications') },
    { name: 'Keyboard shortcuts', key: '?', run: () => commands.show('help') },
    { name: isDark() ? 'Light theme' : 'Dark theme', run: toggleTheme },
    ...(isThemeChosen() ? [{ name: 'System theme', run: followSystemTheme }] : []),
    { name: 'Log out', run: logOut },
  ];
}

function listSessionActs(session: Session, role: Role | undefined, commands: Commands): readonly Command[] {
  const { search, rename, remove, pin, archive, save } = commands;
  const { pinned = false, archived = false } = session;
  const marks: Command[] = [
    { name: 'Rename this session', run: rename },
    { name: pinned ? 'Unpin this session' : 'Pin this session', run: () => pin(session, !pinned) },
    {
      name: archived ? 'Bring this session back' : 'Archive this session',
      run: () => archive(session, !archived),
    },
  ];
  const saves = Object.entries(formats).map(([format, name]) => ({
    name: `Save this session as ${name}`,
    run: () => save(session, format as ExportFormat),
  }));
  return [
    { name: 'Search this session', key: '/', run: search },
    ...(role === 'viewer' ? [] : marks),
    ...saves,
    ...(role === 'operator' ? [{ name: 'Delete this session', run: remove }] : []),
  ];
}

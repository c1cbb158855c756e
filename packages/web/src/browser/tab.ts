import { makeId } from '@parleyhq/client';
import { deviceStorage, tabStorage } from './storage.ts';

/** Returns the id of this tab. It survives a reload; otherwise a person's own answers would seem to come from another device. */
export function readClientId(): string {
  const known = tabStorage.getItem('parley.clientId');
  const clientId = known ?? makeId();
  tabStorage.setItem('parley.clientId', clientId);
  return clientId;
}

const browsers = [
  ['Edg/', 'Edge'],
  ['OPR/', 'Opera'],
  ['Firefox/', 'Firefox'],
  ['Chrome/', 'Chrome'],
  ['Safari/', 'Safari'],
] as const;

const systems = [
  ['Android', 'Android'],
  ['iPhone', 'iPhone'],
  ['iPad', 'iPad'],
  ['Windows', 'Windows'],
  ['Mac OS', 'Mac'],
  ['Linux', 'Linux'],
] as const;

/** Returns the name under which other devices list this one. */
export function describeDevice(agent = navigator.userAgent): string {
  const find = (names: readonly (readonly [string, string])[]) => names.find(([mark]) => agent.includes(mark))?.[1];
  return `${find(browsers) ?? 'Browser'} on ${find(systems) ?? 'a computer'}`;
}

export const preferences = {
  get isInteractive(): boolean {
    return tabStorage.getItem('parley.interactive') !== 'off';
  },
  set isInteractive(value: boolean) {
    tabStorage.setItem('parley.interactive', value ? 'on' : 'off');
  },
  get theme(): 'light' | 'dark' | undefined {
    const theme = deviceStorage.getItem('parley.theme');
    return theme === 'light' || theme === 'dark' ? theme : undefined;
  },
  set theme(value: 'light' | 'dark' | undefined) {
    if (value) deviceStorage.setItem('parley.theme', value);
    else deviceStorage.removeItem('parley.theme');
  },
};

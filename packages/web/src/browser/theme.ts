import { preferences } from './tab.ts';

export function applyTheme(): void {
  const { theme } = preferences;
  if (theme) document.documentElement.dataset.theme = theme;
  else delete document.documentElement.dataset.theme;
}

export function isDark(): boolean {
  return (preferences.theme ?? (matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light')) === 'dark';
}

/** Whether the person has chosen a theme instead of the system's. */
export const isThemeChosen = (): boolean => preferences.theme !== undefined;

export function followSystemTheme(): void {
  preferences.theme = undefined;
  applyTheme();
}

export function toggleTheme(): void {
  preferences.theme = isDark() ? 'light' : 'dark';
  applyTheme();
}

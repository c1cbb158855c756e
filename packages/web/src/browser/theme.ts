import { preferences } from './tab.ts';

export function applyTheme(): void {
  const { theme } = preferences;
  if (theme) document.documentElement.dataset.theme = theme;
  else delete document.documentElement.dataset.theme;
}

export function isDark(): boolean {
  return (preferences.theme ?? (matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light')) === 'dark';
}

export function toggleTheme(): void {
  preferences.theme = isDark() ? 'light' : 'dark';
  applyTheme();
}

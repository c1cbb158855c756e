import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { adoptDataDir, dataDirSubject } from '../settings/data-dir.ts';
import type { DataFlags } from '../settings/flags.ts';
import { readSettings, type Settings } from '../settings/settings.ts';
import { openTrust } from '../settings/trust.ts';
import { openTokens, type TokenAccess } from '../store/open-store.ts';

/** The data directory that the flags name. */
export interface NamedData {
  readonly dataDir: string;
  /** Whether it has no tokens yet: opening it would create it. */
  readonly isNew: boolean;
}

/** Finds the data directory that the flags name, and creates nothing. @throws SettingsError */
export async function findData(flags: DataFlags): Promise<NamedData> {
  const { dataDir, store } = await readDataSettings(flags);
  return { dataDir, isNew: store === undefined && !existsSync(join(dataDir, 'parley.db')) };
}

/** Opens the tokens of the data directory that the flags name, runs `work` on them and closes them. */
export async function useTokens(
  given: DataFlags,
  work: (place: TokenAccess, dataDir: string) => Promise<void>,
): Promise<void> {
  const settings = await readDataSettings(given);
  const isNew = settings.isDataDirFound && dataDirSubject(settings.dataDir) === undefined;
  const file = await openTokens(settings);
  if (isNew && settings.store === undefined) adoptDataDir(settings.dataDir, openTrust(process.env, false));
  try {
    await work(file, settings.dataDir);
  } finally {
    await file.close();
  }
}

function readDataSettings({ dataDir, config }: DataFlags): Promise<Settings> {
  const flags = { ...(dataDir !== undefined && { dataDir }), ...(config !== undefined && { config }) };
  return readSettings(flags, process.env, process.cwd());
}

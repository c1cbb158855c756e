import { adoptDataDir, dataDirSubject } from '../settings/data-dir.ts';
import type { DataFlags } from '../settings/flags.ts';
import { readSettings } from '../settings/settings.ts';
import { openTrust } from '../settings/trust.ts';
import { openTokens, type TokenAccess } from '../store/open-store.ts';

/** Opens the tokens of the data directory that the flags name, runs `work` on them and closes them. */
export async function useTokens(
  { dataDir, config }: DataFlags,
  work: (place: TokenAccess, dataDir: string) => Promise<void>,
): Promise<void> {
  const flags = { ...(dataDir !== undefined && { dataDir }), ...(config !== undefined && { config }) };
  const settings = await readSettings(flags, process.env, process.cwd());
  const isNew = settings.isDataDirFound && dataDirSubject(settings.dataDir) === undefined;
  const file = await openTokens(settings);
  if (isNew && settings.store === undefined) adoptDataDir(settings.dataDir, openTrust(process.env, false));
  try {
    await work(file, settings.dataDir);
  } finally {
    await file.close();
  }
}

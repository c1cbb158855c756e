import { backUpDatabase } from '@parleyhq/server';
import { toLine } from './line.ts';
import { readSettings } from './settings.ts';
import { findDatabase } from './store.ts';
import { writeWhole } from './write-whole.ts';

export interface BackupFlags {
  readonly dataDir?: string;
  readonly config?: string;
  readonly json?: boolean;
}

/** `parley backup`: copies and checks the database, whether a server is running or not (OPS6). @throws SettingsError, StoreError, Error */
export async function backUp(file: string, { json, ...flags }: BackupFlags): Promise<void> {
  const settings = await readSettings(flags, process.env, process.cwd());
  const { dataDir } = settings;
  const database = findDatabase(settings, 'backup');
  const backup = await writeWhole(file, { flag: 'backup', dataDir }, (beside) => backUpDatabase(database, beside));
  const { sessions, events } = backup;
  const counted = `${sessions} ${sessions === 1 ? 'session' : 'sessions'} and ${events} ${events === 1 ? 'event' : 'events'}`;
  process.stdout.write(
    json ? `${JSON.stringify({ file, ...backup })}\n` : toLine(`${file} holds ${counted}, and was checked.`),
  );
}

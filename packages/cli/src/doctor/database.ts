import { accessSync, constants, existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { Awaitable } from '@parleyhq/core';
import { readDatabaseSchema } from '@parleyhq/server';
import type { Settings } from '../settings/settings.ts';
import { readSharedSchema } from '../store/open-store.ts';
import { type Finding, fault, note, ok, wordsOf } from './finding.ts';

const subject = 'Database';

interface Place {
  /** As people know it. */
  readonly name: string;
  /** Reads the schema of its tables, 0 without any, and the one of this release. */
  read(): Awaitable<{ readonly found: number; readonly known: number }>;
}

/** Examines the database of the sessions, in the data directory or in PostgreSQL. Changes nothing. */
export async function examineDatabase({ dataDir, store }: Pick<Settings, 'dataDir' | 'store'>): Promise<Finding> {
  const path = join(dataDir, 'parley.db');
  if (store !== undefined) return judge({ name: 'The database in PostgreSQL', read: () => readSharedSchema(store) });
  if (!existsSync(path)) return note(subject, 'no-data', `There is no ${path}: the first start makes it.`);
  const obstacle = findObstacle(path);
  if (obstacle !== undefined)
    return fault(
      subject,
      'data-not-writable',
      `This user cannot open ${path} (${obstacle}): give it to the user of the server.`,
    );
  if (isEmpty(path)) return fault(subject, 'database', `${path} is empty: remove it, or restore a copy.`);
  return judge({ name: path, read: () => readDatabaseSchema(path) });
}

async function judge({ name, read }: Place): Promise<Finding> {
  try {
    const { found, known } = await read();
    if (found === known) return ok(subject, `${name} is of this release.`);
    if (found === 0) return note(subject, 'no-data', `${name} has no tables: the first start makes them.`);
    const schemas = `(schema ${found}; this release has ${known})`;
    return found > known
      ? fault(subject, 'database-newer', `A newer Parley wrote ${name} ${schemas}: update Parley, or restore a backup.`)
      : note(
          subject,
          'database-older',
          `An older Parley wrote ${name} ${schemas}: the next start updates it. Back it up first.`,
        );
  } catch (error) {
    return fault(subject, 'database', `${name} cannot be read: ${wordsOf(error)}`);
  }
}

function findObstacle(path: string): string | undefined {
  try {
    accessSync(path, constants.R_OK | constants.W_OK);
    return undefined;
  } catch (error) {
    return wordsOf(error);
  }
}

function isEmpty(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.size === 0;
}

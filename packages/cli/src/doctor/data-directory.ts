import { accessSync, constants, existsSync, lstatSync, type Stats, statfsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { readDatabaseSchema } from '@parleyhq/server';
import { readPlainFile } from '../io/plain-file.ts';
import type { Settings } from '../settings/settings.ts';
import { type Finding, fault, note, ok, wordsOf } from './finding.ts';

const subject = 'Data directory';

/** In bytes: below these a disk counts as low or full. */
const [lowBytes, fullBytes] = [1e9, 1e8];

/** Examines the folder, its disk and its database. Changes nothing. */
export function examineDataDirectory({ dataDir, store }: Pick<Settings, 'dataDir' | 'store'>): readonly Finding[] {
  const found = look(dataDir);
  if (found instanceof Error)
    return [fault(subject, 'data-not-writable', `${dataDir} cannot be opened: ${wordsOf(found)}`)];
  if (found && !found.isDirectory())
    return [fault(subject, 'data-not-writable', `${dataDir} is not a folder: name another with --data-dir.`)];
  if (!found)
    return [note(subject, 'no-data', `There is no ${dataDir}: no server has run with it. The first start makes it.`)];
  const findings = [
    ...findExposure(dataDir, found),
    ...findObstacle(dataDir),
    ...findSpace(dataDir),
    ...(store === undefined ? examineDatabase(join(dataDir, 'parley.db')) : []),
  ];
  if (findings.length > 0) return findings;
  return [ok(subject, `${dataDir} is private, writable, and of this release.${describeUser(dataDir)}`)];
}

/** Undefined if there is nothing; a link that leads nowhere is an error. */
function look(dataDir: string): Stats | Error | undefined {
  try {
    const isThere = lstatSync(dataDir, { throwIfNoEntry: false }) !== undefined;
    return isThere ? statSync(dataDir) : undefined;
  } catch (error) {
    return error as Error;
  }
}

function findExposure(dataDir: string, { mode }: Stats): readonly Finding[] {
  if (process.platform === 'win32' || (mode & 0o077) === 0) return [];
  const words = `Other users of this computer can open ${dataDir}, which holds tokens: run chmod 700 ${dataDir}.`;
  return [fault(subject, 'data-exposed', words)];
}

function findObstacle(dataDir: string): readonly Finding[] {
  try {
    accessSync(dataDir, constants.R_OK | constants.W_OK | constants.X_OK);
    return [];
  } catch (error) {
    const words = `This user cannot write to ${dataDir} (${wordsOf(error)}): run the command as the user of the server, or give it the folder.`;
    return [fault(subject, 'data-not-writable', words)];
  }
}

function findSpace(dataDir: string): readonly Finding[] {
  const { bavail, bsize } = statfsSync(dataDir);
  return judgeSpace(dataDir, bavail * bsize);
}

/** @param free - in bytes, for this user */
export function judgeSpace(dataDir: string, free: number): readonly Finding[] {
  if (free >= lowBytes) return [];
  const left = `${Math.floor(free / 1e6)} MB are left on the disk of ${dataDir}`;
  if (free >= fullBytes) return [note(subject, 'disk-low', `${left}.`)];
  return [fault(subject, 'disk-full', `${left}: answers are refused once nothing can be stored. Make room.`)];
}

function examineDatabase(path: string): readonly Finding[] {
  if (!existsSync(path)) return [note(subject, 'no-data', `There is no ${path}: the first start makes it.`)];
  try {
    if (statSync(path).size === 0)
      return [fault(subject, 'database', `${path} is empty: remove it, or restore a copy.`)];
    const { found, known } = readDatabaseSchema(path);
    const schemas = `(schema ${found}; this release has ${known})`;
    if (found > known)
      return [
        fault(
          subject,
          'database-newer',
          `A newer Parley wrote ${path} ${schemas}: update Parley, or restore a backup.`,
        ),
      ];
    if (found < known)
      return [
        note(
          subject,
          'database-older',
          `An older Parley wrote ${path} ${schemas}: the next start updates it. Back it up first.`,
        ),
      ];
    return [];
  } catch (error) {
    return [fault(subject, 'database', `${path} cannot be read: ${wordsOf(error)}`)];
  }
}

/** Whether the database can be read by this release as it is. */
export function isReadable({ dataDir, store }: Pick<Settings, 'dataDir' | 'store'>): boolean {
  const path = join(dataDir, 'parley.db');
  return store !== undefined || (existsSync(path) && examineDatabase(path).length === 0);
}

function describeUser(dataDir: string): string {
  const pid = Number.parseInt(readLock(dataDir) ?? '', 10);
  return pid > 0 && isAlive(pid) ? ` A server with pid ${pid} uses it.` : '';
}

function readLock(dataDir: string): string | undefined {
  try {
    return readPlainFile(join(dataDir, 'parley.lock'));
  } catch {
    return undefined; // not a file of Parley: the server makes its own
  }
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'; // of another user
  }
}

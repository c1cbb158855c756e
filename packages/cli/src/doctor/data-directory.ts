import { accessSync, constants, lstatSync, type Stats, statfsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { readPlainFile } from '../io/plain-file.ts';
import type { Settings } from '../settings/settings.ts';
import { type Finding, fault, note, ok, wordsOf } from './finding.ts';

const subject = 'Data directory';

/** In bytes: below these a disk counts as low or full. */
const [lowBytes, fullBytes] = [1e9, 1e8];

/** Examines the folder and its disk. Changes nothing. */
export function examineDataDirectory({ dataDir }: Pick<Settings, 'dataDir'>): readonly Finding[] {
  const found = look(dataDir);
  if (found instanceof Error)
    return [fault(subject, 'data-not-writable', `${dataDir} cannot be opened: ${wordsOf(found)}`)];
  if (found && !found.isDirectory())
    return [fault(subject, 'data-not-writable', `${dataDir} is not a folder: name another with --data-dir.`)];
  if (!found)
    return [note(subject, 'no-data', `There is no ${dataDir}: no server has run with it. The first start makes it.`)];
  const findings = [...findExposure(dataDir, found), ...findObstacle(dataDir), ...findSpace(dataDir)];
  if (findings.length > 0) return findings;
  return [ok(subject, `${dataDir} is private and writable.${describeUser(dataDir)}`)];
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

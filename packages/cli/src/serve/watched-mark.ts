/** Environment variable that marks the watched child process, whose log is for the plugin's author (PLG12). */
export const watchedMark = 'PARLEY_WATCHED';

/** Whether this is the watched process. Removes the variable, so that programs started by it are not marked. */
export function takeWatchedMark(env: NodeJS.ProcessEnv): boolean {
  const isWatched = env[watchedMark] !== undefined;
  delete env[watchedMark];
  return isWatched;
}

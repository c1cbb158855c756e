/** Set for the server that is watched, which logs for its plugin's author (PLG12). */
export const watchedMark = 'PARLEY_WATCHED';

/** Whether this is the process that is watched. Programs that it starts are not. */
export function takeWatchedMark(env: NodeJS.ProcessEnv): boolean {
  const isWatched = env[watchedMark] !== undefined;
  delete env[watchedMark];
  return isWatched;
}

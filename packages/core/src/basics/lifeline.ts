/** The file descriptor at which a command tied by `tieToLifeline` expects its lifeline. */
export const lifelineFd = 3;

/**
 * A watcher in the command's process group blocks on the lifeline until its other end closes: by the process that started the
 * command, or by the kernel when that process dies, even after kill -9. Then it kills the group. Nothing else holds the lifeline,
 * not even the command.
 */
const script = `grace=$1; shift
( trap '' HUP INT TERM; read -r _ <&3; [ "$grace" = 0 ] || { kill -TERM 0; sleep "$grace"; }; kill -KILL 0 ) </dev/null >/dev/null 2>&1 &
exec "$@" 3<&-`;

/**
 * Wraps a command so that it cannot outlive the process that starts it (DUR4). Start it as the leader of its own process group
 * with a pipe at `lifelineFd`; closing the pipe kills the whole group. Processes that leave the group are not followed. POSIX
 * only.
 * @param graceSeconds - between SIGTERM and SIGKILL, for a command that has to finish writing its files; by default it is killed
 * at once
 * @returns the command and arguments to start instead; its process id and exit are those of `command`
 */
export function tieToLifeline(
  command: string,
  args: readonly string[],
  graceSeconds = 0,
): readonly [string, readonly string[]] {
  return ['sh', ['-c', script, 'sh', String(graceSeconds), command, ...args]];
}

/** Kills the group of a command that is tied so. Not by the number of the group, which could already belong to another one. */
export function cutLifeline({ stdio }: { readonly stdio: readonly unknown[] }): void {
  (stdio[lifelineFd] as { destroy(): void } | null | undefined)?.destroy();
}

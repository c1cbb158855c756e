/** The machine's monotonic clock in milliseconds, the same in every process. */
export function clock(): number {
  return Number(process.hrtime.bigint()) / 1e6;
}

/** Returns the CPU time of this process, in microseconds. */
export function cpu(): number {
  const { user, system } = process.cpuUsage();
  return user + system;
}

export function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

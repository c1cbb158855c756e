import type { Command } from 'commander';

/** Adds the flags by which a command finds a running server. */
export function addServerFlags(command: Command, tokenWords = 'its access token (or PARLEY_TOKEN)'): Command {
  return command
    .option('--host <address>', 'where the server listens (default: 127.0.0.1)')
    .option('--port <number>', 'its port (default: that of the server of the data directory, or 7420)')
    .option('--token <token>', tokenWords)
    .option('--data-dir <folder>', 'its data directory, by which it is recognised (default: .parley)')
    .option('--config <file>', 'its config file');
}

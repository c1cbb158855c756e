import type { PluginLog } from '@parleyhq/core';

export interface LogLine {
  readonly level: keyof PluginLog;
  readonly message: string;
  readonly details?: object | undefined;
}

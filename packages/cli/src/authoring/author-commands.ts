import type { Command } from 'commander';
import { exampleText } from '../io/example-text.ts';
import type { Report } from '../io/report.ts';

/** Adds the commands for plugin authors; neither needs a server (PLG12). */
export function addAuthoring(program: Command, report: Report): void {
  program
    .command('new')
    .description('write a plugin with a tool, a view and a passing test into a new folder')
    .argument('<folder>', 'the folder, whose name is the name of the plugin')
    .addHelpText('after', exampleText(['parley new release-notes']))
    .action((folder: string) => report(async () => (await import('./new-plugin.ts')).writePlugin(folder)));
  program
    .command('check')
    .description('load a plugin as a server would, but without a server, and report what is wrong')
    .argument('<path or package>', 'the plugin')
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      exampleText(['parley check ./plugin.mjs'], '0 it loads; 2 there is no such file; 1 anything else'),
    )
    .action((module: string, flags: { json?: boolean }) =>
      report(async () => (await import('./check-plugin.ts')).checkModule(module, flags)),
    );
}

import type { ParleyPackages } from './parley-packages.ts';

/** Names of a plugin: its own, and that of the package in which it is published. */
export interface Names {
  readonly plugin: string;
  readonly package: string;
}

const packed = `
\`parleyhq-*.tgz\` are the packages of Parley that development needs, and \`devDependencies\` names these files. They come from a checkout, and no registry has them, so commit them.
`;

const withFiles = `. No registry has these two files, so copy them there first: \`npm pack\` writes one, and \`parley new\` wrote the other.`;

const packedNames = (names: Names, version: string) => `./${names.package}-0.1.0.tgz ./parleyhq-core-${version}.tgz`;

/** The README of a plugin, which is also the page of its package: first for people who use it, then for its author. */
export const readme = (names: Names, { isPacked, version }: ParleyPackages): string => `# ${names.package}

A plugin of Parley, the server where AI agents stop and ask people. It adds a tool:

| | |
|---|---|
| \`greet\` | greets somebody, once a person has said how |

## Use it

In the folder in which the server starts, or in that of its config file${isPacked ? withFiles : ':'}

    npm install ${isPacked ? packedNames(names, version) : names.package}
    parley serve --plugin ${names.package}    # or in the config file: "plugins": ["${names.package}"]

## Change it

    npm install
    npm test                                         # checks the types and plays the tool, without a server
    parley check ./plugin.ts                         # reports what is wrong
    parley serve --watch --plugin ./plugin.ts        # then type: /call greet {"who": "Ada"}
${isPacked ? packed : ''}
| | |
|---|---|
| \`plugin.ts\` | the tool \`greet\`, and the plugin |
| \`plugin.test.ts\` | plays the tool: a person who answers, one who cancels, a crash |
| \`views/greetings.html\` | its view: a page in the form's card that proposes what to say |

\`ctx.log\` is shown in the terminal while \`--watch\` runs.

## Publish it

1. Choose a licence: put its text into \`LICENSE\`, and its [SPDX name](https://spdx.org/licenses/) instead of \`UNLICENSED\` into \`package.json\`.
2. Correct the \`description\` there, and add the \`repository\`.
3. \`npm pack --dry-run\` builds the plugin and lists what the package would contain; \`npm publish\` also runs the tests first.

What a plugin may rely on, and how people upgrade and remove it, is in Parley's documents, in \`docs/publish.md\`.
`;

// The test kit is a package of its own, which runs tools on Parley's runtime: install `@parleyhq/testkit`.
export * from '@parleyhq/testkit';

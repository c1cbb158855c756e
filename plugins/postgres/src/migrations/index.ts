import { first } from './0001-first.ts';
import { history } from './0002-history.ts';
import { moreNews } from './0003-more-news.ts';
import { loginCodes } from './0004-login-codes.ts';
import { unfinished } from './0005-unfinished.ts';
import { countedCases } from './0006-counted-cases.ts';
import { links } from './0007-links.ts';
import { passkeys } from './0008-passkeys.ts';
import { lateRenewals } from './0009-late-renewals.ts';
import { signers } from './0010-signers.ts';

/** All migrations in order; released ones must never change. */
export const migrations: readonly string[] = [
  first,
  history,
  moreNews,
  loginCodes,
  unfinished,
  countedCases,
  links,
  passkeys,
  lateRenewals,
  signers,
];

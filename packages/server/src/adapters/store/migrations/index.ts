import { first } from './0001-first.ts';
import { grantDetails } from './0002-grant-details.ts';
import { tokens } from './0003-tokens.ts';
import { audit } from './0004-audit.ts';
import { logins } from './0005-logins.ts';
import { makers } from './0006-makers.ts';
import { outside } from './0007-outside.ts';
import { marks } from './0008-marks.ts';
import { reach } from './0009-reach.ts';
import { countedCases } from './0010-counted-cases.ts';
import { links } from './0011-links.ts';
import { passkeys } from './0012-passkeys.ts';
import { countedDays } from './0013-counted-days.ts';

/**
 * All migrations, in order and never changed once released. Modules rather than `.sql` files, so that the compiler includes them.
 */
export const migrations: readonly string[] = [
  first,
  grantDetails,
  tokens,
  audit,
  logins,
  makers,
  outside,
  marks,
  reach,
  countedCases,
  links,
  passkeys,
  countedDays,
];

import { testRandomKills } from './random-kills.ts';

testRandomKills(15); // `npm run test:soak` raises it

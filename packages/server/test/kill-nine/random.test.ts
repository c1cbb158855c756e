import { testRandomKills } from './random-kills.ts';

testRandomKills(5); // `npm run test:soak` raises it

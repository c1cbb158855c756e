import { testRandomKills } from './random-kills.ts';

testRandomKills(50);

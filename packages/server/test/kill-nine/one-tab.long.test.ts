import { testPoints } from './test-points.ts';

testPoints(1, 'asleep');

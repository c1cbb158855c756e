import { testPoints } from './test-points.ts';

testPoints(0, 'careful');

import { points } from './points.ts';
import { testPoints } from './test-points.ts';

testPoints(
  2,
  'awake',
  points.filter((_, index) => index % 12 > 0),
);

import { points } from './points.ts';
import { testPoints } from './test-points.ts';

testPoints(
  1,
  'quiet',
  points.filter((_, index) => index % 2 === 0),
);

import { listSources } from './files.mjs';
import { findImports, readSources } from './imports.mjs';

/** Finds import cycles, including type-only imports: the files of a cycle can only be read, tested and moved together. */
export function checkCircles(root) {
  const files = listSources(root);
  const targets = new Map(files.map((file) => [file, []]));
  for (const { file, target } of findImports(readSources(root, files))) {
    if (targets.has(target)) targets.get(file).push(target);
  }
  const circles = files.flatMap((file) => {
    const circle = findShortestCircle(targets, file);
    return circle ? [startAtFirst(circle).join(' → ')] : [];
  });
  return [...new Set(circles)].sort().map((circle) => `import circle: ${circle}`);
}

/** Returns the shortest path from a file back to itself, by a breadth-first search; undefined if there is none. */
function findShortestCircle(targets, start) {
  const cameFrom = new Map();
  for (const queue = [start]; queue.length > 0; ) {
    const file = queue.shift();
    for (const target of targets.get(file)) {
      if (target === start) return walkBack(cameFrom, start, file);
      if (cameFrom.has(target)) continue;
      cameFrom.set(target, file);
      queue.push(target);
    }
  }
  return undefined;
}

function walkBack(cameFrom, start, last) {
  const circle = [last];
  while (circle[0] !== start) circle.unshift(cameFrom.get(circle[0]));
  return circle;
}

/**
 * Rotates a cycle to begin with its alphabetically first file, because it is found from each of its files, and repeats that file.
 */
function startAtFirst(circle) {
  const first = circle.indexOf([...circle].sort()[0]);
  return [...circle.slice(first), ...circle.slice(0, first), circle[first]];
}

import { listSources } from './files.mjs';
import { findImports, readSources } from './imports.mjs';

/** Import circles, type-only imports included: files in a circle can only be read, tested and moved together. */
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

/** The shortest way from a file back to itself, breadth first; undefined where there is none. */
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

/** The same circle is found from each of its files: it is named from the first in the alphabet, and ends where it began. */
function startAtFirst(circle) {
  const first = circle.indexOf([...circle].sort()[0]);
  return [...circle.slice(first), ...circle.slice(0, first), circle[first]];
}

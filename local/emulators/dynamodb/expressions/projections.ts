import { type Item, member, type Value } from '../values.ts';
import type { Steps } from './scope.ts';

/** Returns the parts of an item at the given paths. As in DynamoDB, the selected elements of a list become adjacent. */
export function project(item: Item, paths: readonly Steps[]): Item {
  // Fast path: nearly all paths are top-level attributes.
  if (paths.every(({ length }) => length === 1)) {
    const part: Item = {};
    for (const [name] of paths) {
      const value = member(item, String(name));
      if (value) part[String(name)] = value;
    }
    return part;
  }
  return select({ M: item }, paths)?.M ?? {};
}

function select(value: Value, paths: readonly Steps[]): Value | undefined {
  if (paths.some(({ length }) => length === 0)) return value;
  const byStep = Map.groupBy(paths, ([step]) => step);
  const parts: [string | number, Value][] = [];
  for (const [step, below] of byStep) {
    const child = typeof step === 'number' ? value.L?.[step] : value.M && member(value.M, String(step));
    const part =
      child &&
      select(
        child,
        below.map((steps) => steps.slice(1)),
      );
    if (part && step !== undefined) parts.push([step, part]);
  }
  if (parts.length === 0) return undefined;
  if (value.L) return { L: parts.sort(([a], [b]) => Number(a) - Number(b)).map(([, part]) => part) };
  return { M: Object.fromEntries(parts) };
}

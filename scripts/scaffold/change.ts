import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { UsageError } from './names.ts';

/** The changes of a scaffold. Paths are relative to the repository's root. */
export interface Change {
  /** New files; none of them may exist. */
  create: Record<string, string>;
  /** Files to change; each must exist. */
  edit: Record<string, (text: string) => string>;
  /** The contributor's next steps. */
  next: string[];
}

/**
 * Applies a change. Writes nothing if a new file already exists, or if an edit does not find its anchor.
 * @returns the paths that were written
 * @throws UsageError naming the file
 */
export function applyChange(root: string, { create, edit }: Change): string[] {
  const taken = Object.keys(create).filter((path) => existsSync(join(root, path)));
  if (taken.length > 0) throw new UsageError(`already exists: ${taken.join(', ')}`);
  const edited = Object.entries(edit).map(([path, change]) => {
    const file = join(root, path);
    try {
      return [path, change(existsSync(file) ? readFileSync(file, 'utf8') : '')] as const;
    } catch (error) {
      throw new UsageError(`${path}: ${error instanceof Error ? error.message : error}`);
    }
  });
  const written = [...Object.entries(create), ...edited];
  for (const [path, text] of written) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
  return written.map(([path]) => path);
}

/** Returns the match of an anchor. Throws if there is none, because the file has changed since the scaffold was written. */
function requireMatch<T>(match: T | undefined | null, anchor: RegExp): T {
  if (match === undefined || match === null) throw new Error(`the scaffold does not find its place, ${anchor}`);
  return match;
}

/** Inserts text before the first match of an anchor. */
export function before(text: string, anchor: RegExp, addition: string): string {
  const { index } = requireMatch(anchor.exec(text), anchor);
  return text.slice(0, index) + addition + text.slice(index);
}

/** Inserts text after the last match of a global anchor, or after the first match of any other anchor. */
export function after(text: string, anchor: RegExp, addition: string): string {
  const matches = anchor.global ? [...text.matchAll(anchor)] : [anchor.exec(text)];
  const last = requireMatch(matches.at(-1), anchor);
  const end = last.index + last[0].length;
  return text.slice(0, end) + addition + text.slice(end);
}

/** Adds named imports from a module to the existing ones. Biome sorts them. */
export function withImport(text: string, module: string, ...names: string[]): string {
  const escaped = module.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&');
  const existing = new RegExp(`import \\{([^}]*)\\} from '${escaped}';`).exec(text);
  if (!existing) {
    const isTypes = names.every((name) => name.startsWith('type '));
    const clause = isTypes
      ? `type { ${names.map((name) => name.slice('type '.length)).join(', ')} }`
      : `{ ${names.join(', ')} }`;
    return `import ${clause} from '${module}';\n${text}`;
  }
  const present = (existing[1] ?? '')
    .split(',')
    .map((name) => name.trim())
    .filter(Boolean);
  const all = [...present, ...names.filter((name) => !present.includes(name))];
  return text.replace(existing[0], () => `import { ${all.join(', ')} } from '${module}';`);
}

/** Adds `import * as z from 'zod/mini'` if it is missing. */
export const withZod = (text: string): string =>
  text.includes(`import * as z from 'zod/mini';`) ? text : `import * as z from 'zod/mini';\n${text}`;

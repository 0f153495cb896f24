import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Start } from '../detect/existing-start.ts';
import { readBeginning } from '../read-text.ts';
import { packageOf } from './needed.ts';

/** Bytes of a file that are examined. */
const MAX_BYTES = 1024 * 1024;
/** Matches white space, comments and directives. */
const SKIPPED = /(?:\s|\/\/[^\n]*|\/\*[\s\S]*?\*\/|#![^\n]*|(['"])use \w{1,20}\1;?)*/y;
/** Matches an `import` statement. Those of types are removed before the file runs, and name no module here. */
const IMPORT =
  /import(?:\s*type\b(?!\s*(?:,|from\b))[^'";()]*(['"])[^'"\n]*\1|(?![\w$(.])(?:[^'";()]*\bfrom)?\s*(['"])([^'"\n]+)\2)(?:\s*with\s*\{[^}]*\})?\s*;?/y;
/** Matches a module that a line of CommonJS requires, unless the line is indented: it may then be in a function or a condition. */
const REQUIRE = /^(?:(?:const|let|var)\s[^=\n]{1,200}=\s*(?:[\w.$]{1,100}\()?)?require\((['"])([^'"\n]+)\1\)/gm;

/** Returns the modules without which a file does not start: those of its leading `import` statements and of its `require` at the top level. */
export function requiredModules(text: string): string[] {
  const modules = [...text.matchAll(REQUIRE)].map(([, , module = '']) => module);
  for (let at = 0; ; ) {
    SKIPPED.lastIndex = at;
    IMPORT.lastIndex = at + (SKIPPED.exec(text)?.[0].length ?? 0);
    const statement = IMPORT.exec(text);
    if (statement === null) return modules;
    if (statement[3] !== undefined) modules.push(statement[3]);
    at = IMPORT.lastIndex;
  }
}

/**
 * Returns the development packages that the file of a start requires. Generators list packages there that their servers import, such as dotenv:
 * other hosts install them too.
 * @param directory the application's directory
 */
export function importedPackages(
  start: Start,
  directory: string,
  developed: Readonly<Record<string, unknown>> = {},
): string[] {
  const path = start.kind === 'node' ? start.file : start.kind === 'export' ? start.module : undefined;
  if (path === undefined || /(^|\/)node_modules\//.test(path)) return [];
  const file = join(directory, start.directory, path);
  if (!existsSync(file)) return [];
  const names = requiredModules(readBeginning(file, MAX_BYTES)).flatMap((module) => packageOf(module) ?? []);
  return [...new Set(names)].filter((name) => Object.hasOwn(developed, name));
}

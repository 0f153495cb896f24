import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { listFirst } from '../clone/repository.ts';
import { readText } from '../read-text.ts';

/** Settings files of package managers, which read registry tokens from variables. */
const SETTINGS = ['.npmrc', '.yarnrc.yml'];
const COMMENT = /^[ \t]*[#;].*$/gm;
/** Matches a variable without a default value, unlike `${NPM_TOKEN-}` and npm's `${NPM_TOKEN?}`. */
const VARIABLE = /\$\{(\w{1,128})\}/g;

/** Returns advice if the package manager's settings in a directory read variables that are not set; otherwise an empty text. */
export function describeRegistryVariables(directory: string, environment: Readonly<Record<string, string>>): string {
  const missing = SETTINGS.map((name) => ({ name, file: join(directory, name) }))
    .filter(({ file }) => existsSync(file))
    .map(({ name, file }) => ({
      name,
      variables: [...readText(file).replace(COMMENT, '').matchAll(VARIABLE)].flatMap(([, variable = '']) =>
        Object.hasOwn(environment, variable) ? [] : [variable],
      ),
    }))
    .find(({ variables }) => variables.length > 0);
  if (!missing) return '';
  const names = [...new Set(missing.variables)];
  const subject = names.length === 1 ? 'the variable' : 'these variables';
  return `: ${missing.name} reads ${listFirst(names)}, without which a private registry gives no packages. Set ${subject} of the application, and deploy again`;
}

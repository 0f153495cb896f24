import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { listFirst } from '../clone/repository.ts';
import { readText } from '../read-text.ts';

/** Settings of package managers, which read tokens of registries from variables. */
const SETTINGS = ['.npmrc', '.yarnrc.yml'];
const COMMENT = /^[ \t]*[#;].*$/gm;
/** A variable without a value for where it is not set, such as `${NPM_TOKEN-}` and npm's `${NPM_TOKEN?}` have. */
const VARIABLE = /\$\{(\w{1,128})\}/g;

/** Returns advice where the settings of a directory's package manager read variables that are not set; nothing for others. */
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
  const set = names.length === 1 ? 'the variable' : 'these variables';
  return `: ${missing.name} reads ${listFirst(names)}, without which a private registry gives no packages. Set ${set} of the application, and deploy again`;
}

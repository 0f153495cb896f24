import { posix } from 'node:path';
import { FRAMEWORK_DEFAULTS } from '../../../contract/enums.ts';
import { type Framework, namedFramework } from './frameworks.ts';
import type { Manifest } from './manifest.ts';
import { productionScriptOf } from './package-scripts.ts';
import { declaredStarts } from './procfile.ts';
import { onePackage } from './script-command.ts';
import type { StartScript } from './start-script.ts';
import { wrapsFile } from './wraps-file.ts';

/** Files in an application's directory that start it if nothing else declares a start. */
const USUAL_FILES = ['server', 'index', 'main', 'app'].flatMap((name) => [`${name}.js`, `${name}.mjs`, `${name}.cjs`]);

/** Returns true if a dependency seems to provide a program: `dotenv-cli` and `@dotenvx/dotenvx` have names like their programs. */
const seemsProvided = ({ dependencies, devDependencies }: Manifest, program: string): boolean =>
  Object.keys({ ...dependencies, ...devDependencies }).some((name) => {
    const bare = name.replace(/^@[^/]+\//, '');
    return bare === program || bare.startsWith(`${program}-`);
  });

/**
 * Returns the default start file if it precedes the declared start: if it exists, and the framework has no other default. Only a start of
 * the same file with options, or by way of another program, precedes it.
 */
function takenStartFile(
  manifest: Manifest,
  framework: Framework | undefined,
  files: readonly string[],
  declared: StartScript | undefined,
): string | undefined {
  const { startFile } = FRAMEWORK_DEFAULTS.NODE;
  const hasOther = framework !== undefined && ['NEXTJS', 'NUXT'].map(namedFramework).includes(framework);
  const isStartFile = (word: string) => [startFile, posix.parse(startFile).name].includes(posix.normalize(word));
  const isProvided = (program: string) => program.includes('/') || seemsProvided(manifest, program);
  const isNamed =
    declared && (declared.kind === 'node' ? isStartFile(declared.file) : wrapsFile(declared, isStartFile, isProvided));
  return files.includes(startFile) && !hasOther && !isNamed ? startFile : undefined;
}

function describeScript(start: StartScript, framework: Framework | undefined): string | null {
  switch (start.kind) {
    case 'node':
      return ['node', ...start.options, start.file, ...start.args].join(' ');
    case 'program':
      return [start.program, ...start.args].join(' ');
    case 'shell':
      return start.command;
    case 'site':
      return start.directory === undefined ? null : `files in ${start.directory}`;
    default:
      return describeOutput(framework);
  }
}

function describeOutput(framework: Framework | undefined): string | null {
  const [server] = framework?.server ?? [];
  if (server !== undefined) return `node ${server}`;
  const [site] = framework?.site ?? [];
  return site === undefined ? null : `files in ${site}`;
}

/**
 * Predicts what will start an application; null if that is unknown before the build. The build itself decides
 * (builder/detect/start.ts).
 *
 * @param files names in the application's directory
 * @param procfile text of its Procfile, empty if there is none
 */
export function describeExpectedStart(
  manifest: Manifest,
  framework: Framework | undefined,
  files: readonly string[],
  procfile: string,
): string | null {
  const production = productionScriptOf(manifest);
  const starts = [...declaredStarts(manifest, procfile), ...(production ? [production.script] : [])].map(
    ({ start }) => start,
  );
  const declared = starts.find(({ kind }) => kind !== 'development');
  const startFile = takenStartFile(manifest, framework, files, declared);
  if (startFile !== undefined) return `node ${startFile}`;
  if (declared) return describeScript(declared, framework);
  const output = describeOutput(framework);
  if (output !== null) return output;
  const picked = declaredStarts(manifest, procfile, onePackage(manifest.scripts), true).map(({ start }) => start);
  const only = picked.find(({ kind }) => kind !== 'development');
  if (only || manifest.scripts.start !== undefined) return only ? describeScript(only, framework) : null;
  if (manifest.main !== undefined) return `node ${manifest.main}`;
  const usual = USUAL_FILES.find((file) => files.includes(file));
  return usual === undefined ? null : `node ${usual}`;
}

import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { chownTo } from '../commands/build-user.ts';
import { type CommandContext, run } from '../commands/command.ts';
import { BuildFailure } from '../failure.ts';

/**
 * Settings for Yarn 1 only; later versions refuse them. By default, Yarn 1 neither installs nor runs anything if `engines` of the repository or
 * of a package excludes the chosen Node version. Other package managers only warn about that, and so does the build's log.
 */
const YARN_CLASSIC = { YARN_IGNORE_ENGINES: 'true' };

/**
 * Installs a package manager from npm's registry outside of the repository. Returns a context with the package manager first on the PATH, for
 * the install command and for scripts that call it.
 * @param tool package and version, such as `pnpm@10.34.9`
 */
export async function withTool(tool: string, context: CommandContext): Promise<CommandContext> {
  const directory = mkdtempSync(join(tmpdir(), 'tools-'));
  if (context.user) chownTo(directory, context.user);
  let printed = '';
  const toolContext = {
    ...context,
    directory,
    output: (text: string) => {
      printed += text;
    },
  };
  const install = ['install', '--no-save', '--ignore-scripts', '--prefix', directory, '--', tool];
  let status = await run('npm', install, toolContext);
  // Bun's package is a program for each platform, which its install script puts in place. Newer versions of npm run no unapproved scripts.
  if (status === 0 && tool.startsWith('bun@'))
    status = await run('node', [join(directory, 'node_modules/bun/install.js')], toolContext);
  if (status !== 0) {
    context.output(printed);
    throw new BuildFailure(`The package manager ${tool} could not be installed.`);
  }
  const PATH = [join(directory, 'node_modules', '.bin'), context.environment.PATH].join(delimiter);
  // Yarn's Plug'n'Play mode, without node_modules, would need a loader at start, which the platform does not run.
  const settings = { YARN_NODE_LINKER: 'node-modules', ...(tool.startsWith('yarn@') ? YARN_CLASSIC : {}) };
  const environment = { ...settings, ...context.environment, PATH };
  return { ...context, environment };
}

/** Matches the loaders of Yarn's Plug'n'Play. They do not exist, because packages are installed into node_modules (builder/install/tools.ts). */
const PLUG_AND_PLAY = /(^|[/=])\.pnp\.(c?js|loader\.mjs)$/;
/** The options with which Node preloads a module, as a part of a regular expression. */
const PRELOADS = '(?:-r|--require|--import|--loader|--experimental-loader)';
/** Matches one of these options. */
export const LOADS_MODULE = new RegExp(`^${PRELOADS}$`);
/** Matches one of these options with its module in a value of `NODE_OPTIONS`. */
const PRELOADED = new RegExp(`(?<=^|\\s)${PRELOADS}(?:=|\\s+)(?:"(?:[^"\\\\]|\\\\.)*"|\\S+)`, 'g');

/** Returns true if a value of `NODE_OPTIONS` preloads a module. */
export const preloadsModules = (options = ''): boolean =>
  options.split(/[\s=]+/).some((word) => LOADS_MODULE.test(word));

/** Returns a value of `NODE_OPTIONS` without the options that preload modules. */
export const withoutPreloads = (options: string): string => options.replace(PRELOADED, '').trim();

/**
 * Removes options that name missing environment files or Yarn's loaders, because Node would not start with them.
 * @param isFile returns true if a path is a file of the application
 */
export function existingOptions(options: readonly string[], isFile: (path: string) => boolean): string[] {
  const kept: string[] = [];
  for (let at = 0; at < options.length; at += 1) {
    const option = options[at] ?? '';
    const [, inline] = /^--env-file(?:=(.*))?$/.exec(option) ?? [];
    if (option.startsWith('--env-file') && !option.startsWith('--env-file-if-exists')) {
      const path = inline ?? options[at + 1] ?? '';
      if (inline === undefined) at += 1;
      if (isFile(path)) kept.push(`--env-file=${path}`);
    } else if (LOADS_MODULE.test(option) && PLUG_AND_PLAY.test(options[at + 1] ?? '')) at += 1;
    else if (!PLUG_AND_PLAY.test(option)) kept.push(option);
  }
  return kept;
}

/**
 * Returns a shell command without the options of Node that name missing environment files. Absolute paths stay, because an earlier command
 * may create the file at the start (`/tmp/.env`), and so does a command that changes the directory.
 */
export const withoutMissingFiles = (command: string, exists: (path: string) => boolean): string =>
  /\bcd\s/.test(command)
    ? command
    : command.replace(/\s--env-file(?:=|\s+)(["']?)(?!\/)([\w./-]+)\1(?=\s|$)/g, (option, _quote, path: string) =>
        exists(path) ? option : '',
      );

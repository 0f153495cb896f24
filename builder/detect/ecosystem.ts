import { quoteWord } from '../../providers/builds/detection/command-line.ts';
import { readBeginning } from '../read-text.ts';

/** Matches the files in which pm2 has its programs. */
export const ECOSYSTEM = /(^|\/)(ecosystem|pm2)[\w.]*\.(c?js|json)$/;

/** Bytes of a configuration that are read: many times those of a usual one. */
const MAX_BYTES = 32 * 1024;

const text = `'([^'\\n]*)'|"([^"\\n]*)"`;
const field = (names: string, value: string) => new RegExp(`(?<![\\w$])["']?(?:${names})["']?\\s*:\\s*(?:${value})`);
const definedOf = (groups: readonly (string | undefined)[]): string | undefined =>
  groups.find((group) => group !== undefined);

/** Returns the words of a field that is a text or a list of texts; undefined if there is none. */
function wordsOf(config: string, names: string): string | undefined {
  const list = field(names, '\\[([^\\]]*)\\]').exec(config)?.[1];
  if (list === undefined) return definedOf(field(names, text).exec(config)?.slice(1) ?? []);
  return [...list.matchAll(new RegExp(text, 'g'))].map((found) => quoteWord(definedOf(found.slice(1)) ?? '')).join(' ');
}

/** Returns the constant variables of a field, such as `env: { WORKERS: 2 }`. */
function variablesOf(config: string, name: string): Record<string, string> {
  const inside = field(name, '\\{([^{}]*)\\}').exec(config)?.[1] ?? '';
  const entries = inside.matchAll(
    new RegExp(`(?<=^|[{,\\s])["']?([A-Za-z_]\\w*)["']?\\s*:\\s*(?:${text}|([\\w.]+))(?=\\s*(,|$))`, 'g'),
  );
  return Object.fromEntries(
    [...entries].flatMap(([, key = '', single, double, bare]) => {
      const value = single ?? double ?? (/^(\d[\d.]*|true|false)$/.test(bare ?? '') ? bare : undefined);
      return value === undefined ? [] : [[key, value]];
    }),
  );
}

/** Returns the text of the first program in a configuration, without those after it; the whole text if it has no list of programs. */
function firstProgram(config: string): string {
  const begin = /(?<![\w$])["']?apps["']?\s*:\s*\[?\s*(?=\{)/.exec(config);
  if (!begin) return config;
  const rest = config.slice(begin.index + begin[0].length);
  let depth = 0;
  for (const { 0: part, index } of rest.matchAll(/'[^'\n]*'|"[^"\n]*"|[{}]/g)) {
    depth += part === '{' ? 1 : part === '}' ? -1 : 0;
    if (depth === 0) return rest.slice(0, index);
  }
  return rest;
}

/**
 * Returns the command by which pm2 would start the first program of its configuration; undefined if that names no program. The file is not
 * run, because the builder has rights that the owner's code must not have, so it is read only as far as its values are constants.
 */
export function ecosystemCommand(file: string): string | undefined {
  const config = firstProgram(readBeginning(file, MAX_BYTES).replace(/\/\*[\s\S]*?\*\/|(?<=^|[\s,{[])\/\/.*$/gm, ''));
  const script = wordsOf(config, 'script');
  if (script === undefined) return undefined;
  const { NODE_ENV, ...common } = variablesOf(config, 'env');
  // The platform chooses the port.
  const { PORT: _, ...variables }: Record<string, string> = {
    // A release is no development.
    ...(NODE_ENV === undefined || NODE_ENV === 'development' ? {} : { NODE_ENV }),
    ...common,
    ...variablesOf(config, 'env_production'),
  };
  const [directory, interpreter, options, args] = [
    'cwd',
    'interpreter|exec_interpreter',
    'node_args|nodeArgs|interpreter_args|interpreterArgs',
    'args',
  ].map((names) => wordsOf(config, names));
  // An absolute directory is that of another machine.
  const isMoved = directory !== undefined && !directory.startsWith('/');
  const before = [
    ...(isMoved ? ['cd', quoteWord(directory), '&&'] : []),
    ...Object.entries(variables).map(([name, value]) => `${name}=${quoteWord(value)}`),
  ];
  // pm2 runs a script with spaces as a command.
  if (/\s/.test(script)) return [...before, script].join(' ');
  return [
    ...before,
    'pm2 start',
    script,
    ...(interpreter === undefined || interpreter === 'none' ? [] : ['--interpreter', quoteWord(interpreter)]),
    ...(options === undefined ? [] : ['--node-args', quoteWord(options)]),
    ...(args === undefined ? [] : ['--', args]),
  ].join(' ');
}

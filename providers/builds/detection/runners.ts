/**
 * Programs that run a JavaScript file: the equivalent Node options, and the meaning of the program's own options. If a command has an
 * unlisted option, a shell runs the command as written.
 */

/** The effect of an option when Node starts the file without the program. An option without an effect is dropped. */
export interface Meaning {
  /** True if a value follows, after `=` or as the next word. */
  takesValue?: boolean;
  /** The equivalent environment variable, with its value if the option has none. */
  variable?: readonly [name: string, value?: string];
  /** Node options that replace those of the program. */
  replaces?: readonly string[];
  /** Meaning of the value: a command that the program runs with the file, Node options, or a module to require. */
  value?: 'command' | 'node-options' | 'required';
}
export type Options = Readonly<Record<string, Meaning>>;

export interface Runner {
  /** Node options that are equivalent to the program. */
  node: readonly string[];
  /** The program's own options. */
  options: Options;
  /** True if the program passes other options on to Node. */
  passesOptions: boolean;
  /** True if the program's options end at the file, so that all following words are the file's arguments. */
  endsAtFile: boolean;
  /** Words that may precede the file. */
  subcommands: readonly string[];
}

/** Gives several options, separated by spaces, the same meaning. */
const optionsOf = (names: string, meaning: Meaning): Options =>
  Object.fromEntries(names.split(' ').map((name) => [name, meaning]));
const FLAG: Meaning = {};
const VALUE: Meaning = { takesValue: true };
const COMMAND: Meaning = { takesValue: true, value: 'command' };
const NODE_OPTIONS: Meaning = { takesValue: true, value: 'node-options' };
const REQUIRED: Meaning = { takesValue: true, value: 'required' };
const flag = (name: string): Meaning => ({ variable: [name, 'true'] });
const valued = (name: string): Meaning => ({ takesValue: true, variable: [name] });

/** Options of ts-node and of programs that are based on it (https://typestrong.org/ts-node/docs/options). */
const TS_NODE: Options = {
  ...optionsOf('-T --transpile-only', flag('TS_NODE_TRANSPILE_ONLY')),
  ...optionsOf('-P --project', valued('TS_NODE_PROJECT')),
  ...optionsOf('-C --compiler', valued('TS_NODE_COMPILER')),
  ...optionsOf('-O --compiler-options', valued('TS_NODE_COMPILER_OPTIONS')),
  '--files': flag('TS_NODE_FILES'),
  '--log-error': flag('TS_NODE_LOG_ERROR'),
  '--prefer-ts-exts': flag('TS_NODE_PREFER_TS_EXTS'),
  '--skip-project': flag('TS_NODE_SKIP_PROJECT'),
  '--type-check': { variable: ['TS_NODE_TRANSPILE_ONLY', 'false'] },
  ...optionsOf('--pretty -s --script-mode', FLAG),
};
const NODE_DEV: Options = {
  ...optionsOf('--respawn --exit-child --rs --cls --clear --poll --deps --all-deps --notify --no-notify --quiet', FLAG),
  ...optionsOf('--watch --ignore --ignore-watch --interval --debounce --deps-level', VALUE),
};

const runner = (node: readonly string[], options: Options, rest: Partial<Runner> = {}): Runner => ({
  node,
  options,
  passesOptions: true,
  endsAtFile: true,
  subcommands: [],
  ...rest,
});
const register = ['--require', 'ts-node/register'];
const tsNode = (node: readonly string[]) =>
  runner(
    node,
    { ...TS_NODE, ...optionsOf('-r --require', REQUIRED), '--esm': { replaces: ['--loader', 'ts-node/esm'] } },
    { passesOptions: false },
  );
const tsNodeDev = runner(register, { ...NODE_DEV, ...TS_NODE });
// https://github.com/Unitech/pm2/blob/master/lib/binaries/CLI.js, and Runtime4Docker.js in the same directory
const pm2 = runner(
  [],
  {
    ...optionsOf('--node-args --interpreter-args', NODE_OPTIONS),
    '--interpreter': COMMAND,
    ...optionsOf('-i --instances -n --name -l --log -o --output -e --error -p --pid --env --namespace --only', VALUE),
    ...optionsOf('--max-memory-restart --max-restarts --restart-delay --min-uptime -c --cron --cron-restart', VALUE),
    ...optionsOf(
      '--ignore-watch --log-date-format --log-type --listen-timeout --kill-timeout -k --delay --stop-exit-codes',
      VALUE,
    ),
    ...optionsOf(
      '--exp-backoff-restart-delay --public --secret --watch-delay --ext --parallel --uid --gid --user -u',
      VALUE,
    ),
    ...optionsOf('--filter-env --hp --service-name --sort --machine-name', VALUE),
    ...optionsOf(
      '--v8 --event-loop-inspector --disable-trace --wait-ip --no-autostart --auto-exit --fresh --daemon',
      FLAG,
    ),
    ...optionsOf('--no-daemon --time --merge-logs --wait-ready --update-env --format --raw --json -f --force -a', FLAG),
    ...optionsOf(
      '--watch -w --autorestart --no-autorestart --no-vizion --no-treekill --shutdown-with-message --no-auto-exit',
      FLAG,
    ),
    ...optionsOf(
      '--no-pmx --no-automation --deep-monitoring --disable-logs --silent -s --attach --web --trace --source-map-support --disable-source-map-support --no-color -m --mini-list -x --execute-command',
      FLAG,
    ),
  },
  { passesOptions: false, endsAtFile: false, subcommands: ['start', 'restart', 'startOrRestart', 'reload'] },
);

export const RUNNERS: Readonly<Record<string, Runner>> = {
  node: runner([], {}),
  nodejs: runner([], {}),
  tsx: runner(
    ['--import', 'tsx'],
    {
      '--tsconfig': valued('TSX_TSCONFIG_PATH'),
      '--no-cache': { variable: ['TSX_DISABLE_CACHE', '1'] },
      ...optionsOf('--include --exclude --ignore', VALUE),
      ...optionsOf('--clear-screen --no-clear-screen', FLAG),
    },
    { subcommands: ['watch'] },
  ),
  'ts-node': tsNode(register),
  'ts-node-script': tsNode(register),
  'ts-node-transpile-only': tsNode(['--require', 'ts-node/register/transpile-only']),
  'ts-node-esm': tsNode(['--loader', 'ts-node/esm']),
  'ts-node-dev': tsNodeDev,
  tsnd: tsNodeDev,
  'node-dev': runner([], NODE_DEV),
  // https://github.com/remy/nodemon/blob/main/lib/cli/parse.js
  nodemon: runner(
    [],
    {
      ...optionsOf('-w --watch -i --ignore -e --ext -d --delay -s --signal -P --polling-interval --config', VALUE),
      ...optionsOf(
        '-L --legacy-watch -V --verbose -q --quiet -I --no-stdin -C --on-change-only --js --exitcrash',
        FLAG,
      ),
      ...optionsOf('--spawn --dump --no-update-notifier --no-colours --no-colors', FLAG),
      ...optionsOf('-x --exec', COMMAND),
    },
    { endsAtFile: false },
  ),
  supervisor: runner(
    [],
    {
      ...optionsOf('-w --watch -i --ignore -e --extensions -p --poll-interval -n --no-restart-on', VALUE),
      ...optionsOf('-t --non-interactive -k --instant-kill -s --timestamp -q --quiet -V --verbose', FLAG),
      ...optionsOf('--ignore-symlinks --force-watch --harmony', FLAG),
      ...optionsOf('-x --exec', COMMAND),
    },
    { passesOptions: false },
  ),
  forever: runner(
    [],
    {
      ...optionsOf('-m -l -o -e -p --uid --pidFile --minUptime --spinSleepTime --killSignal', VALUE),
      ...optionsOf('--watchDirectory --watchIgnore --id', VALUE),
      ...optionsOf('-a --append -f --fifo -n --number -s --silent -v --verbose -w --watch -d --debug', FLAG),
      ...optionsOf('--plain --colors --no-colors --killTree --minimal', FLAG),
      ...optionsOf('-c', COMMAND),
    },
    { passesOptions: false, subcommands: ['start', 'restart'] },
  ),
  pm2,
  'pm2-runtime': pm2,
  'pm2-docker': pm2,
};

/** Options of Node 20, 22 and 24 whose value may be the next word, except for those of the test runner. */
export const NODE_OPTIONS_WITH_VALUE: readonly string[] = [
  '-r',
  '--require',
  '--import',
  '--loader',
  '--experimental-loader',
  '-C',
  '--conditions',
  '--input-type',
  '--env-file',
  '--env-file-if-exists',
  '--experimental-config-file',
  '--experimental-default-type',
  '--experimental-specifier-resolution',
  '--es-module-specifier-resolution',
  '--experimental-policy',
  '--policy-integrity',
  '--unhandled-rejections',
  '--disable-warning',
  '--disable-proto',
  '--redirect-warnings',
  '--dns-result-order',
  '--network-family-autoselection-attempt-timeout',
  '--max-http-header-size',
  '--title',
  '--allow-fs-read',
  '--allow-fs-write',
  '--localstorage-file',
  '--icu-data-dir',
  '--openssl-config',
  '--tls-cipher-list',
  '--tls-keylog',
  '--secure-heap',
  '--secure-heap-min',
  '--security-revert',
  '--diagnostic-dir',
  '--report-dir',
  '--report-directory',
  '--report-filename',
  '--report-signal',
  '--cpu-prof-dir',
  '--cpu-prof-name',
  '--cpu-prof-interval',
  '--heap-prof-dir',
  '--heap-prof-name',
  '--heap-prof-interval',
  '--heapsnapshot-signal',
  '--heapsnapshot-near-heap-limit',
  '--snapshot-blob',
  '--build-snapshot-config',
  '--trace-event-categories',
  '--trace-event-file-pattern',
  '--trace-require-module',
  '--v8-pool-size',
  '--use-largepages',
  '--max-old-space-size-percentage',
  '--stack-trace-limit',
  '--watch-path',
  '--watch-kill-signal',
  '--inspect-port',
  '--debug-port',
  '--inspect-publish-uid',
];
/** Node options that make sense only in development. */
export const DEVELOPMENT_OPTIONS = /^--(watch|inspect|debug)\b/;
/** Node options that do not run a file. */
export const NO_FILE_OPTIONS = /^(-e|--eval|-p|--print|-pe|-c|--check|-i|--interactive|--run|--test)$/;

/**
 * Programs that only prepare the environment of another program, which follows their options and assignments. `env` has no listed
 * options, because its options change more than that.
 */
export const WRAPPERS: Readonly<Record<string, Options>> = {
  'cross-env': {},
  'cross-env-shell': {},
  env: {},
  exec: { '-a': VALUE },
  npx: { ...optionsOf('-y --yes --no --no-install -q --quiet', FLAG), ...optionsOf('-p --package', VALUE) },
  bunx: optionsOf('--bun --silent --verbose', FLAG),
  nice: optionsOf('-n --adjustment', VALUE),
};

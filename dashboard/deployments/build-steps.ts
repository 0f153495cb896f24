/** A line of a build log. */
interface LogLine {
  at: string;
  text: string;
}

/** A section of a build log. */
export interface BuildStep {
  title: string;
  startedAt: string;
  /** Null while the step runs. */
  finishedAt: string | null;
  state: 'DONE' | 'RUNNING' | 'FAILED';
}

const SECTION = '==> ';
const FAILURE = `${SECTION}Deployment failed: `;
/** The line that ends a log. */
const END = /^==> (The new release is live|Deployment failed: )/;

/** Divides a build log into its steps (builder/log/log.ts), each with its times; the last one of a failed build has failed. */
export function stepsOf(lines: readonly LogLine[], isRunning: boolean): BuildStep[] {
  const marks = lines.filter(({ text }) => text.startsWith(SECTION));
  const hasFailed = marks.some(({ text }) => text.startsWith(FAILURE));
  const starts = marks.filter(({ text }) => !END.test(text));
  const ends = marks.slice(1);
  return starts.map(({ at, text }, index) => {
    const isLast = index === starts.length - 1;
    const finishedAt = ends[index]?.at ?? (isRunning ? null : (lines.at(-1)?.at ?? at));
    const state = finishedAt === null ? 'RUNNING' : isLast && hasFailed ? 'FAILED' : 'DONE';
    return { title: text.slice(SECTION.length), startedAt: at, finishedAt, state };
  });
}

/** Returns the reason of a failed deployment, which its log ends with; undefined for others. */
export function failureOf(lines: readonly LogLine[]): string | undefined {
  const text = lines.findLast((line) => line.text.startsWith(FAILURE))?.text;
  return text?.slice(FAILURE.length);
}

/** The screen on which the owner removes the cause of a failure. */
export interface Remedy {
  /** Below the application; empty: none of it. */
  path: string;
  name: string;
}

/** Remedies by the words of the reason, the most specific first (builder/, domain/deployments/release-failure.ts). */
const REMEDIES: readonly (readonly [RegExp, Remedy])[] = [
  [/deploy key|is private|host key/i, { path: '/git', name: 'Show the deploy key' }],
  [
    /environment variable|set the variables? |process\.env\.(?!PORT)|is not defined in the environment|DATABASE_URL/i,
    { path: '/env', name: 'Edit variables' },
  ],
  [
    /^Branch |repository https?:|host of https?:|could not be cloned/i,
    { path: '/settings', name: 'Change the repository' },
  ],
  [
    /(build|install|start) ?(command|file)|starts the application|startCommand|startFile|rootDirectory|root directory|nodeVersion|health/i,
    { path: '/settings', name: 'Change the build settings' },
  ],
  [/more memory|did not start|did not answer|ended (with|before)/i, { path: '/logs', name: 'Open the runtime logs' }],
];

/** Returns the way to mend a failure; undefined where only the code can be changed. */
export const remedyFor = (reason: string): Remedy | undefined => REMEDIES.find(([words]) => words.test(reason))?.[1];

// biome-ignore lint/suspicious/noControlCharactersInRegex: escape sequences
const COLOURED = /\x1b\[/;
const ERROR =
  /^\s*(?:npm (?:error|ERR!)|ERR_PNPM|error\b|✘|✖|FATAL|fatal:|(?:Uncaught )?[A-Z]\w*Error\b|Failed to compile)|\berror TS\d+:/;

/** Marks headings and errors of a log by colour, for `ui/Log.tsx`; a line that has colours keeps them. */
export function highlight(text: string): string {
  if (COLOURED.test(text)) return text;
  if (text.startsWith(FAILURE) || ERROR.test(text)) return `\u001b[1;31m${text}\u001b[0m`;
  return text.startsWith(SECTION) ? `\u001b[1m${text}\u001b[0m` : text;
}

import { FAILURE, LIVE_LINE, SECTION } from '../../contract/deployments/build-log.ts';

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

/** Returns true for the line that ends a log. */
const isEnd = ({ text }: LogLine): boolean => text === LIVE_LINE || text.startsWith(FAILURE);

/** Splits a build log into its steps (builder/log/log.ts) with their times. In a failed build, the last step has failed. */
export function stepsOf(lines: readonly LogLine[], isRunning: boolean): BuildStep[] {
  const marks = lines.filter(({ text }) => text.startsWith(SECTION));
  const hasFailed = marks.some(({ text }) => text.startsWith(FAILURE));
  const starts = marks.filter((line) => !isEnd(line));
  const ends = marks.slice(1);
  return starts.map(({ at, text }, index) => {
    const isLast = index === starts.length - 1;
    const finishedAt = ends[index]?.at ?? (isRunning ? null : (lines.at(-1)?.at ?? at));
    const state = finishedAt === null ? 'RUNNING' : isLast && hasFailed ? 'FAILED' : 'DONE';
    return { title: text.slice(SECTION.length), startedAt: at, finishedAt, state };
  });
}

/** Returns the reason of a failed deployment from the end of its log; undefined for other deployments. */
export function failureOf(lines: readonly LogLine[]): string | undefined {
  const text = lines.findLast((line) => line.text.startsWith(FAILURE))?.text;
  return text?.slice(FAILURE.length);
}

/** The screen on which the user can fix the cause of a failure. */
export interface Remedy {
  /** Path below the application's. */
  path: string;
  name: string;
}

/**
 * Remedies by the words of the reason, the most specific first. They match what the application printed too, so that there is no field for
 * them. `test/template/remedies.test.ts` and `builder/failures.test.ts` compare them with the platform's messages.
 */
const REMEDIES: readonly (readonly [RegExp, Remedy | undefined])[] = [
  // Only the platform's operator, or a commit, helps.
  [
    /^The host key of |(do not match|merge conflict): run |: change one of them in package\.json|and commit(?! a file)|It compiles native code|publish the package to/,
    undefined,
  ],
  [/deploy key|is private/i, { path: '/git', name: 'Show the deploy key' }],
  [
    /environment variable|set (the|these) variables? |process\.env\.(?!PORT)|is not defined in the environment|DATABASE_URL/i,
    { path: '/env', name: 'Edit variables' },
  ],
  [
    /^Branch |repository https?:|^The host of |could not be cloned/i,
    { path: '/settings', name: 'Change the repository' },
  ],
  [
    /(build|install|start) ?(command|file)|starts the application|startCommand|startFile|rootDirectory|root directory|nodeVersion|health/i,
    { path: '/settings', name: 'Change the build settings' },
  ],
  [/more memory|did not start|did not answer|ended (with|before)/i, { path: '/logs', name: 'Open the runtime logs' }],
];

/** Returns the screen on which a failure can be fixed; undefined if no screen helps. */
export const remedyFor = (reason: string): Remedy | undefined => REMEDIES.find(([words]) => words.test(reason))?.[1];

// biome-ignore lint/suspicious/noControlCharactersInRegex: escape sequences
const COLORED = /\x1b\[/;
const ERROR =
  /^\s*(?:npm (?:error|ERR!)|ERR_PNPM|error\b|✘|✖|FATAL|fatal:|(?:Uncaught )?[A-Z]\w*Error\b|Failed to compile)|\berror TS\d+:/;

/** Colors the headings and errors of a log for `dashboard/ui/Log.tsx`. A line that already has colors keeps them. */
export function highlight(text: string): string {
  if (COLORED.test(text)) return text;
  if (text.startsWith(FAILURE) || ERROR.test(text)) return `\u001b[1;31m${text}\u001b[0m`;
  return text.startsWith(SECTION) ? `\u001b[1m${text}\u001b[0m` : text;
}

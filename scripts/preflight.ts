/**
 * `npm run preflight -- --stage prod --domain …`: checks with the caller's credentials if a deployment with these settings can
 * succeed, and prints a table: subject, needed value, found value, and commands that fix problems. Creates two throwaway resources (a
 * function, a build) with their roles, and deletes them. `--json` prints the rows as JSON. Exit code 1 if there is a problem
 * (docs/deploying.md#6-preflight).
 */
import { configure } from '../lib/config.ts';
import type { Row } from './preflight/check.ts';
import { runPreflight } from './preflight/run.ts';
import { type Invocation, readInvocation } from './preflight/settings.ts';

const LABELS = { ok: '  ok  ', mend: ' MEND ' } as const;

/** Returns the lines of a row: subject, needed and found values, and the steps that fix the problem. */
function toLines({ what, needed, found, ok, remedy }: Row): string[] {
  return [
    `${ok ? LABELS.ok : LABELS.mend} ${what}`,
    `         needed  ${needed}`,
    `         found   ${found}`,
    ...remedy.map((step, index) => `         ${index === 0 ? 'mend  ' : '      '}  ${step}`),
  ];
}

/** Reads the command line. Prints an error without a stack trace, because it is the caller's mistake. */
function readCommandLine(): Invocation {
  try {
    const invocation = readInvocation(process.argv.slice(2));
    configure(invocation.settings);
    return invocation;
  } catch (error) {
    console.error(error instanceof Error ? error.message : error);
    process.exit(1);
  }
}

const { json, ...invocation } = readCommandLine();
const rows = await runPreflight(invocation, ({ what, ok }) => {
  if (process.stderr.isTTY) process.stderr.write(`${ok ? 'checked' : 'not in order'}: ${what}\n`);
});
const wrong = rows.filter(({ ok }) => !ok).length;
if (json) console.log(JSON.stringify(rows, null, 2));
else {
  console.log(rows.flatMap(toLines).join('\n'));
  console.log(wrong === 0 ? '\nEverything is in order.' : `\n${wrong} of ${rows.length} are not in order.`);
}
process.exitCode = wrong === 0 ? 0 : 1;

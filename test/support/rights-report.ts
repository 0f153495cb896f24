import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { RightsReport } from '../../local/iam/report.ts';
import { EXPECTED_DENIALS, UNUSED_RIGHTS } from './unused-rights.ts';

/** A restored table (test/flow/restart.test.ts) has a name of its own; its rights are those of the table whose place it takes. */
const asOwnTable = (right: string): string => right.replace(/(:table\/[\w-]+?)-\d{14}\b/, '$1');

/** Reads the reports of all runs of a test run as one. */
function readReports(directory: string): Record<keyof RightsReport, ReadonlySet<string>> {
  const reports = readdirSync(directory)
    .filter((file) => file.endsWith('.json'))
    .map((file): RightsReport => JSON.parse(readFileSync(join(directory, file), 'utf8')));
  const all = (kind: keyof RightsReport) => new Set(reports.flatMap((report) => report[kind].map(asOwnTable)));
  return { granted: all('granted'), used: all('used'), denied: all('denied') };
}

const matches = (patterns: readonly { right: RegExp }[], line: string): boolean =>
  patterns.some(({ right }) => right.test(line));

/** Returns the rights that no test used, without those that {@link UNUSED_RIGHTS} explains. */
const unexplainedRights = ({ granted, used }: ReturnType<typeof readReports>): string[] =>
  [...granted].filter((right) => !used.has(right) && !matches(UNUSED_RIGHTS, right)).sort();

/** Returns the refused requests of the platform's roles, without those that a test provokes. */
const unexpectedDenials = ({ denied }: ReturnType<typeof readReports>): string[] =>
  [...denied].filter((line) => !matches(EXPECTED_DENIALS, line)).sort();

/**
 * Prints a summary of a test run's rights.
 * @param isComplete true if all tests have run: only then does it list rights that none used
 * @throws for a right that a role lacked
 */
export function checkRights(directory: string, isComplete: boolean): void {
  const reports = readReports(directory);
  const { granted, used } = reports;
  console.log(`IAM: the tests used ${used.size} of ${granted.size} granted rights.`);
  const unused = isComplete ? unexplainedRights(reports) : [];
  if (unused.length > 0) {
    const advice = 'remove them from lib/, or explain them in test/support/unused-rights.ts';
    console.warn(`${unused.length} rights were granted and never used; ${advice}:\n${unused.join('\n')}`);
  }
  const denials = unexpectedDenials(reports);
  if (denials.length > 0) throw new Error(`Roles of the platform lacked rights:\n${denials.join('\n')}`);
}

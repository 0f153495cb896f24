import { execFileSync, spawnSync } from 'node:child_process';
import { availableParallelism, cpus, loadavg, totalmem } from 'node:os';
import { median, type Row } from './measure.ts';
import { NOTES } from './notes.ts';

const number = (value: number): string => value.toFixed(Math.abs(value) < 10 ? 2 : 0);
const ratioOf = ({ ours, against }: Row): number => ours / against;

/** Returns one line of the table: medians over all runs, and the least and the greatest ratio. */
function lineOf(what: string, rows: readonly Row[]): string {
  const of = (figure: (row: Row) => number) => rows.map(figure);
  const ratios = of(ratioOf);
  const [{ unit, atMost } = { unit: '', atMost: 0 }] = rows;
  const cells = [
    what,
    `${number(median(of(({ ours }) => ours)))} ${unit}`,
    `${number(median(of(({ against }) => against)))} ${unit}`,
    median(ratios).toFixed(2),
    `${Math.min(...ratios).toFixed(2)} to ${Math.max(...ratios).toFixed(2)}`,
    ...(Number.isFinite(atMost) ? [`≤ ${number(atMost)}`, median(ratios) <= atMost ? 'yes' : 'no'] : ['–', '–']),
  ];
  return `| ${cells.join(' | ')} |`;
}

function sectionOf(name: string, runs: readonly (readonly Row[])[]): string {
  const byWhat = Map.groupBy(runs.flat(), ({ what }) => what);
  return [
    `## ${name}`,
    '',
    `\`npm run bench -- ${name}\` · against ${NOTES[name]?.against}`,
    '',
    `Measured on ${machineLine()}. Medians over ${runs.length} runs; the spread is the least and the greatest ratio.`,
    '',
    '| what | ours | against | ratio | spread | to reach | reached |',
    '| --- | --- | --- | --- | --- | --- | --- |',
    ...[...byWhat].map(([what, rows]) => lineOf(what, rows)),
    '',
    `Not said: ${NOTES[name]?.omits}`,
    '',
  ].join('\n');
}

/** Returns what the figures were measured on: the machine, the versions, the commit and the date. */
export function machineLine(): string {
  const java = /version "([^"]+)"/.exec(spawnSync('java', ['-version'], { encoding: 'utf8' }).stderr)?.[1];
  const commit = execFileSync('git', ['rev-parse', '--short', 'HEAD'], { encoding: 'utf8' }).trim();
  const memory = `${(totalmem() / 1024 ** 3).toFixed(0)} GiB`;
  return `${availableParallelism()} cores of ${cpus()[0]?.model.trim()}, ${memory}, Node ${process.version}, Java ${java}; commit ${commit}, ${new Date().toISOString().slice(0, 10)}; load average at the end ${loadavg()[0]?.toFixed(1)}`;
}

/** Returns the sections of a page by their names. */
const sectionsOf = (page: string): ReadonlyMap<string, string> =>
  new Map(
    page
      .split(/^(?=## )/m)
      .slice(1)
      .map((section) => [/^## (.*)/.exec(section)?.[1] ?? '', section]),
  );

/**
 * Returns docs/benchmarks.md with a benchmark's runs in place of what it said of them before. The other sections stay: all benchmarks
 * take hours. Prose that does not change is here, so that the page has one source.
 */
export function pageOf(before: string, name: string, runs: readonly (readonly Row[])[]): string {
  const sections = new Map([...sectionsOf(before), [name, sectionOf(name, runs)] as const]);
  const sorted = [...sections].sort(([a], [b]) => a.localeCompare(b)).map(([, section]) => section.trimEnd());
  return `${PROSE}\n${sorted.join('\n\n')}\n`;
}

const PROSE = `# Benchmarks

\`npm run bench -- <names> --markdown\` writes these sections, \`-- all\` all of them. Each figure is a ratio against something that was measured in the same run,
so that it depends little on the machine. \`npm run bench -- <name>\` runs one of them, a file of \`bench/benchmarks/\` without its ending,
and fails if a ratio is above its bound.

- \`aws-client\` and \`zip\` compare our own code with the library that would replace it: a ratio above its bound means that the
  library should ([0024](decisions/0024-libraries.md)).
- \`npm run bench -- lighthouse\` measures every screen of the dashboard with Lighthouse, which it installs (176 MB) on its first run, and writes a page with its table, after each
  screen (\`LIGHTHOUSE_SCREENS=missing\` goes on where a run was stopped): at least 95 for performance and 100 for accessibility, on a desktop and on a phone, on a machine that does nothing else.
- \`npm run bench -- screens\` measures interaction to next paint on every list that can have 1,000 items, in the browser, with the CPU slowed down four times: at most 100 ms on a
  machine that does nothing else.
- \`npm run bench -- webhook-costs\` prints the table of [costs.md](costs.md).
- \`npm run bench -- scale\` writes [scale.md](scale.md): where the platform breaks, and at how many accounts.
- The limits that do not depend on time are tested in \`npm test\`: round trips per request, writes per event, the size of the
  dashboard.
`;

import { execFileSync, spawnSync } from 'node:child_process';
import { availableParallelism, cpus, loadavg, totalmem } from 'node:os';
import { median, type Row } from './measure.ts';
import { NOTES } from './notes.ts';

const number = (value: number): string => value.toFixed(Math.abs(value) < 10 ? 2 : 0);
const ratioOf = ({ ours, baseline }: Row): number => ours / baseline;

/** Returns one row of the table: medians of all runs, and the smallest and the largest ratio. */
function lineOf(name: string, rows: readonly Row[]): string {
  const valuesOf = (figure: (row: Row) => number) => rows.map(figure);
  const ratios = valuesOf(ratioOf);
  const [{ unit, maxRatio } = { unit: '', maxRatio: 0 }] = rows;
  const cells = [
    name,
    `${number(median(valuesOf(({ ours }) => ours)))} ${unit}`,
    `${number(median(valuesOf(({ baseline }) => baseline)))} ${unit}`,
    median(ratios).toFixed(2),
    `${Math.min(...ratios).toFixed(2)} to ${Math.max(...ratios).toFixed(2)}`,
    ...(Number.isFinite(maxRatio) ? [`≤ ${number(maxRatio)}`, median(ratios) <= maxRatio ? 'yes' : 'no'] : ['–', '–']),
  ];
  return `| ${cells.join(' | ')} |`;
}

function sectionOf(name: string, runs: readonly (readonly Row[])[]): string {
  const byName = Map.groupBy(runs.flat(), ({ name }) => name);
  return [
    `## ${name}`,
    '',
    `Command: \`npm run bench -- ${name}\`. Reference: ${NOTES[name]?.baseline}.`,
    '',
    `Measured on ${machineLine()}. Medians of ${runs.length} runs; the range is the smallest and the largest ratio.`,
    '',
    '| measurement | platform | reference | ratio | range | target | met |',
    '| --- | --- | --- | --- | --- | --- | --- |',
    ...[...byName].map(([rowName, rows]) => lineOf(rowName, rows)),
    '',
    `Limits of this measurement: ${NOTES[name]?.notCovered}`,
    '',
  ].join('\n');
}

/** Returns the conditions of the measurement: the machine, the versions, the commit and the date. */
export function machineLine(): string {
  const java = /version "([^"]+)"/.exec(spawnSync('java', ['-version'], { encoding: 'utf8' }).stderr)?.[1];
  const commit = execFileSync('git', ['rev-parse', '--short', 'HEAD'], { encoding: 'utf8' }).trim();
  const memory = `${(totalmem() / 1024 ** 3).toFixed(0)} GiB`;
  const cores = availableParallelism();
  return `${cores} ${cores === 1 ? 'core' : 'cores'} of ${cpus()[0]?.model.trim()}, ${memory}, Node ${process.version}, Java ${java}; commit ${commit}, ${new Date().toISOString().slice(0, 10)}; load average at the end ${loadavg()[0]?.toFixed(1)}`;
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
 * Returns docs/benchmarks.md with the section of one benchmark replaced by its new runs. Other sections stay, because all benchmarks
 * take hours. The constant prose is here, so that the page has one source.
 */
export function pageOf(before: string, name: string, runs: readonly (readonly Row[])[]): string {
  const sections = new Map([...sectionsOf(before), [name, sectionOf(name, runs)] as const]);
  const sorted = [...sections].sort(([a], [b]) => a.localeCompare(b)).map(([, section]) => section.trimEnd());
  return `${PROSE}\n${sorted.join('\n\n')}\n`;
}

const PROSE = `# Benchmarks

Each benchmark measures a ratio between the platform and a reference in the same run, so that it depends little on the machine. A ratio at or below its target
is met.

- To run one benchmark: \`npm run bench -- <name>\`, with the name of a file in \`bench/benchmarks/\`. It fails if a ratio is above its target.
- To write sections of this page: \`npm run bench -- <names> --markdown\`, or \`npm run bench -- all --markdown\` for all of them.

Some benchmarks have a purpose of their own:

- \`aws-client\` and \`zip\` compare the platform's code with the library that would replace it. A ratio above its target means that the library should
  ([0024](decisions/0024-libraries.md)).
- \`lighthouse\` writes [lighthouse.md](lighthouse.md): the scores of every screen of the dashboard, on a desktop and on a phone. The targets are 95 for performance
  and 100 for accessibility, on an otherwise idle machine. The first run installs Lighthouse (176 MB). It writes the page after each screen, and
  \`LIGHTHOUSE_SCREENS=missing\` continues an interrupted run.
- \`screens\` measures interaction to next paint on every list that can have 1,000 items, in the browser, with the CPU slowed down four times. The target is 100 ms, on an
  otherwise idle machine.
- \`webhook-costs\` prints the table of [costs.md](costs.md#a-million-webhook-events).
- \`scale\` writes [scale.md](scale.md): the limits that the platform reaches, and at how many accounts.

\`npm test\` checks the limits that do not depend on time: round trips per request, writes per event, the size of the dashboard.
`;

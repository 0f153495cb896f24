import { machineLine } from '../page.ts';

/** Lighthouse's scores of a screen, from 0 to 100. */
export interface Scores {
  performance: number;
  accessibility: number;
}

/** Scores of each screen on both form factors. */
export type ScoresByScreen = Map<string, Record<'desktop' | 'mobile', Scores>>;

const ROW = /^\| `(?<screen>[^`]+)` \| (\d+) \| (\d+) \| (\d+) \| (\d+) \|$/gm;

/** Reads the scores of the existing page, so that a run of some screens keeps those of the others. */
export const scoresOfPage = (page: string): ScoresByScreen =>
  new Map(
    [...page.matchAll(ROW)].map(([, screen = '', ...figures]) => {
      const [desktop = 0, desktopAccess = 0, mobile = 0, mobileAccess = 0] = figures.map(Number);
      return [
        screen,
        {
          desktop: { performance: desktop, accessibility: desktopAccess },
          mobile: { performance: mobile, accessibility: mobileAccess },
        },
      ];
    }),
  );

const cells = ({ performance, accessibility }: Scores): string => `${performance} | ${accessibility}`;

/** Returns the page. The constant prose is here, so that the page has one source. */
export const lighthousePage = (measured: ScoresByScreen, version: string): string =>
  `# Lighthouse

This page has the Lighthouse ${version} scores of every screen of the dashboard, on a desktop and on a phone (simulated slow 4G and a quarter of the CPU speed), with a
local run behind it. \`npm run bench -- lighthouse\` writes it.

The targets are at least 95 for performance and 100 for accessibility. If a screen misses one, the benchmark measures it three times and takes the medians. The
screens are those of the browser tests (\`test/browser/screen-paths.ts\`); \`login\` is the page before the sign-in.

Measured on ${machineLine()}

| screen | desktop: performance | accessibility | phone: performance | accessibility |
| --- | ---: | ---: | ---: | ---: |
${[...measured].map(([screen, { desktop, mobile }]) => `| \`${screen}\` | ${cells(desktop)} | ${cells(mobile)} |`).join('\n')}

Limits of this measurement: it does not measure how fast the platform on AWS answers the screens' reads, nor networks other than those that Lighthouse simulates.
`;

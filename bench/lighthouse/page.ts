import { machineLine } from '../page.ts';

/** Lighthouse's scores of a screen, from 0 to 100. */
export interface Scores {
  performance: number;
  accessibility: number;
}

/** Scores of each screen in both forms. */
export type ScoresByScreen = Map<string, Record<'desktop' | 'mobile', Scores>>;

const ROW = /^\| `(?<screen>[^`]+)` \| (\d+) \| (\d+) \| (\d+) \| (\d+) \|$/gm;

/** Reads the scores of a page that was written before, so that a run of some screens leaves those of the others. */
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

/** Returns the page. Prose that does not change is here, so that the page has one source. */
export const lighthousePage = (measured: ScoresByScreen, version: string): string =>
  `# Lighthouse

\`npm run bench -- lighthouse\` writes this page: the scores of every screen of the dashboard in Lighthouse ${version}, on a desktop and on a phone (slow 4G, a
quarter of the CPU speed, both simulated), with a local run behind it. At least 95 for performance and 100 for accessibility. A screen below that is measured
three times, and the medians count. The list of screens is that of the browser tests (\`test/browser/screen-paths.ts\`); \`login\` is the page before the login.

Measured on ${machineLine()}

| screen | desktop: performance | accessibility | phone: performance | accessibility |
| --- | ---: | ---: | ---: | ---: |
${[...measured].map(([screen, { desktop, mobile }]) => `| \`${screen}\` | ${cells(desktop)} | ${cells(mobile)} |`).join('\n')}

Not said: how fast the platform on AWS answers the screens' reads, and networks other than those that Lighthouse simulates.
`;

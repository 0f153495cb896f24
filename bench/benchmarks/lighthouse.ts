import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import chromium from '@sparticuz/chromium';
import { chromium as playwright } from 'playwright-core';
import { freePort } from '../../local/processes/ports.ts';
import { SCREENS } from '../../test/browser/screen-paths.ts';
import type { Local } from '../../test/support/platform.ts';
import { lighthousePage, type Scores, type ScoresByScreen, scoresOfPage } from '../lighthouse/page.ts';
import { seedScreens } from '../lighthouse/screens.ts';
import { median, type Row } from '../measure.ts';
import { startMeasuredRun } from '../processes/run.ts';

/**
 * Measures Lighthouse's scores of every screen of the dashboard in a separate run, on a desktop and on a phone (slow 4G, a
 * quarter of the CPU speed), and writes a page of the documentation ("Lighthouse"). Lighthouse takes 176 MB with its dependencies, so it is installed
 * in a cache folder on demand and not with the project. All screens take about an hour; the page is written after each of them. `LIGHTHOUSE_SCREENS=/ai,/apps`
 * measures some screens and leaves the scores of the others; `LIGHTHOUSE_SCREENS=missing` measures those that the page does not have yet.
 */
const VERSION = '13.5.0';
const CACHE = resolve(`node_modules/.cache/lighthouse-${VERSION}`);
/** Number of runs if the first is not good enough; the median counts. A busy machine blocks the main thread. */
const MAX_RUNS = 3;

const FORM_FACTORS = ['desktop', 'mobile'] as const;
/** Minimum of each category's score. */
const MIN_SCORES = { performance: 95, accessibility: 100 } as const;
const CATEGORIES = ['performance', 'accessibility'] as const;
const PAGE = join('docs', 'lighthouse.md');
const LOGIN = 'login';
const ALL_SCREENS: readonly string[] = [LOGIN, ...SCREENS];

/** Returns the screens to measure, and the known scores of the others. */
function chosenScreens(): { chosen: readonly string[]; known: ScoresByScreen } {
  const selection = process.env.LIGHTHOUSE_SCREENS;
  if (selection === undefined) return { chosen: ALL_SCREENS, known: new Map() };
  const known = scoresOfPage(existsSync(PAGE) ? readFileSync(PAGE, 'utf8') : '');
  const chosen = selection === 'missing' ? ALL_SCREENS.filter((screen) => !known.has(screen)) : selection.split(',');
  return { chosen, known };
}

/** Writes the page with the known scores, in the order of the screens. */
function writePage(known: ScoresByScreen): void {
  const ordered = ALL_SCREENS.flatMap((screen) => {
    const scores = known.get(screen);
    return scores ? [[screen, scores] as const] : [];
  });
  writeFileSync(PAGE, lighthousePage(new Map(ordered), VERSION));
}

interface Lighthouse {
  default(url: string, flags: object, config?: object): Promise<{ lhr: Result } | undefined>;
  desktopConfig: object;
}
interface Result {
  runtimeError?: { message: string };
  finalDisplayedUrl: string;
  categories: Record<string, { score: number | null; auditRefs: { id: string; weight: number }[] }>;
  audits: Record<string, { score: number | null; title: string; displayValue?: string }>;
}

async function install(): Promise<Lighthouse> {
  const main = join(CACHE, 'node_modules/lighthouse/core/index.js');
  if (!existsSync(main)) {
    mkdirSync(CACHE, { recursive: true });
    writeFileSync(
      join(CACHE, 'package.json'),
      JSON.stringify({ private: true, dependencies: { lighthouse: VERSION } }),
    );
    execFileSync('npm', ['install', '--no-audit', '--no-fund', '--ignore-scripts'], { cwd: CACHE, stdio: 'ignore' });
  }
  return (await import(pathToFileURL(main).href)) as Lighthouse;
}

/** Opens a browser with a debugging port for Lighthouse, with an account signed in, or signed out. */
async function openBrowser({ baseUrl, login, accounts }: Local, name: 'demo' | 'operator' | undefined) {
  const [port, profile] = [await freePort(), mkdtempSync(join(tmpdir(), 'lighthouse-'))];
  const context = await playwright.launchPersistentContext(profile, {
    executablePath: await chromium.executablePath(),
    args: ['--no-sandbox', '--headless=shell', '--disable-dev-shm-usage', `--remote-debugging-port=${port}`],
  });
  if (name) {
    const account = accounts[name];
    const page = await context.newPage();
    await page.goto(`${baseUrl}/dashboard/icon.svg`);
    const user = {
      access_token: account.dashboardToken,
      token_type: 'Bearer',
      scope: 'openid email',
      profile: { sub: account.id, email: account.email },
      expires_at: Math.floor(Date.now() / 1000) + 7200,
    };
    const entry = [`oidc.user:${login.issuer}:${login.clientId}`, JSON.stringify(user)];
    await page.evaluate(`localStorage.setItem(...${JSON.stringify(entry)})`);
    await page.close();
  }
  const close = async () => {
    await context.close();
    rmSync(profile, { recursive: true, force: true });
  };
  return { port, close };
}

/** Returns the audits that reduced the score, with what they found. */
function failedAudits({ categories, audits }: Result): string[] {
  return CATEGORIES.flatMap((category) => categories[category]?.auditRefs ?? []).flatMap(({ id, weight }) => {
    const { score, title, displayValue = '' } = audits[id] ?? { score: null, title: '' };
    return weight > 0 && score !== null && score < 0.9 ? [`${id}: ${title} ${displayValue}`.trim()] : [];
  });
}

const isGoodEnough = (scores: Scores): boolean =>
  CATEGORIES.every((category) => scores[category] >= MIN_SCORES[category]);

/** Returns the scores of one URL, from 0 to 100. If the first run is not good enough, returns the medians of several runs. */
async function scoresOf(lighthouse: Lighthouse, url: string, form: (typeof FORM_FACTORS)[number], port: number) {
  const runs: Scores[] = [];
  for (let turn = 0; turn < MAX_RUNS; turn += 1) {
    const flags = { port, onlyCategories: [...CATEGORIES], logLevel: 'silent' };
    const result = await lighthouse.default(url, flags, form === 'desktop' ? lighthouse.desktopConfig : undefined);
    if (!result) throw new Error(`${url}: Lighthouse returned nothing`);
    const { categories, runtimeError, finalDisplayedUrl } = result.lhr;
    if (runtimeError) throw new Error(`${url}: ${runtimeError.message}`);
    const { pathname } = new URL(finalDisplayedUrl);
    if (pathname !== new URL(url).pathname && !pathname.startsWith('/oidc/'))
      throw new Error(`${url}: measured ${finalDisplayedUrl}`);
    const score = (category: (typeof CATEGORIES)[number]) => Math.round((categories[category]?.score ?? 0) * 100);
    const scores = { performance: score('performance'), accessibility: score('accessibility') };
    runs.push(scores);
    if (isGoodEnough(scores)) return scores;
    console.error(`${url}, ${form}: ${JSON.stringify(scores)} ${failedAudits(result.lhr).join('; ')}`);
  }
  const medianOf = (category: (typeof CATEGORIES)[number]) => median(runs.map((scores) => scores[category]));
  return { performance: medianOf('performance'), accessibility: medianOf('accessibility') };
}

/** Compares each score with its minimum: a ratio above 1 means that the score is too low. */
export async function rows(): Promise<Row[]> {
  const lighthouse = await install();
  const run = await startMeasuredRun();
  const { chosen, known } = chosenScreens();
  const measured: ScoresByScreen = new Map();
  const measure = async (name: 'demo' | 'operator' | undefined, screens: ReadonlyMap<string, string>) => {
    const { port, close } = await openBrowser(run.local, name);
    try {
      for (const [screen, path] of screens) {
        const url = `${run.local.baseUrl}/dashboard${path}`;
        const scores = {
          desktop: await scoresOf(lighthouse, url, 'desktop', port),
          mobile: await scoresOf(lighthouse, url, 'mobile', port),
        };
        measured.set(screen, scores);
        writePage(known.set(screen, scores));
      }
    } finally {
      await close();
    }
  };
  try {
    const pathOf = await seedScreens(run.local);
    const paths = (isOperators: boolean) =>
      new Map(
        SCREENS.filter((screen) => screen.startsWith('/operator') === isOperators)
          .filter((screen) => chosen.includes(screen))
          .map((screen) => [screen, pathOf(screen)]),
      );
    if (chosen.includes(LOGIN)) await measure(undefined, new Map([[LOGIN, '/']]));
    await measure('demo', paths(false));
    await measure('operator', paths(true));
  } finally {
    await run.stop();
  }
  return [...measured].flatMap(([screen, forms]) =>
    FORM_FACTORS.flatMap((form) =>
      CATEGORIES.map((category) => {
        const name = `${screen}, ${form}: ${MIN_SCORES[category]} against its ${category}`;
        return { name, ours: MIN_SCORES[category], baseline: forms[form][category], unit: '', maxRatio: 1 };
      }),
    ),
  );
}

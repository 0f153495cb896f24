import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import chromium from '@sparticuz/chromium';
import { chromium as playwright } from 'playwright-core';
import { freePort } from '../local/processes/ports.ts';
import { type Local, startRun } from '../test/support/platform.ts';
import { median, type Row } from './measure.ts';

/**
 * Measures Lighthouse's scores of the dashboard in a separate run, on a desktop and on a phone (slow 4G, a quarter of
 * the CPU speed). Lighthouse takes 176 MB with its dependencies, so it is installed in a cache folder on demand and not
 * with the project.
 */
const VERSION = '13.5.0';
const CACHE = resolve(`node_modules/.cache/lighthouse-${VERSION}`);
/** Minimum of each score. */
const MIN_SCORE = 95;
/** Number of runs, of which the median counts, because a busy machine sometimes blocks the main thread. */
const TIMES = 3;

const FORMS = ['desktop', 'mobile'] as const;
const CATEGORIES = ['performance', 'accessibility'] as const;

interface Lighthouse {
  default(url: string, flags: object, config?: object): Promise<{ lhr: Result } | undefined>;
  desktopConfig: object;
}
interface Result {
  runtimeError?: { message: string };
  finalDisplayedUrl: string;
  categories: Record<string, { score: number | null }>;
}

interface Made {
  id: string;
  status?: string;
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

/** Creates data and returns the paths of the screens with the most content. */
async function makeScreens({ baseUrl, accounts: { demo } }: Local): Promise<Record<string, string>> {
  const call = async (method: string, path: string, body?: object) => {
    const headers = { authorization: `Bearer ${demo.dashboardToken}`, 'content-type': 'application/json' };
    const init = { method, headers, ...(body ? { body: JSON.stringify(body) } : {}) };
    const answer = await fetch(`${baseUrl}/dashboard/v1${path}`, init);
    if (!answer.ok) throw new Error(`${method} ${path} answered ${answer.status}: ${await answer.text()}`);
    return ((await answer.json()) as { data: Made & Made[] }).data;
  };
  const repoUrl = 'https://git.localhost/hello-express.git';
  const { id: app } = await call('POST', '/apps', { name: 'Looked at', framework: 'EXPRESS', repoUrl });
  const webhook = await call('POST', '/webhooks', { url: 'https://example.com/hooks' });
  let deployment: Made | undefined;
  for (;;) {
    [deployment] = await call('GET', `/apps/${app}/deployments`);
    if (deployment?.status === 'SUCCEEDED') break;
    if (deployment?.status === 'FAILED') throw new Error('The deployment failed');
    await new Promise((done) => setTimeout(done, 1000));
  }
  return {
    overview: '',
    application: `apps/${app}`,
    deployment: `apps/${app}/deployments/${deployment.id}`,
    billing: 'billing',
    AI: 'ai',
    webhook: `developers/webhooks/${webhook.id}`,
  };
}

/** Opens a browser with a debugging port for Lighthouse, with the demo account signed in or signed out. */
async function openBrowser({ baseUrl, login, accounts: { demo } }: Local, signedIn: boolean) {
  const [port, profile] = [await freePort(), mkdtempSync(join(tmpdir(), 'lighthouse-'))];
  const context = await playwright.launchPersistentContext(profile, {
    executablePath: await chromium.executablePath(),
    args: ['--no-sandbox', '--headless=shell', '--disable-dev-shm-usage', `--remote-debugging-port=${port}`],
  });
  if (signedIn) {
    const page = await context.newPage();
    await page.goto(`${baseUrl}/dashboard/icon.svg`);
    const user = {
      ...{ access_token: demo.dashboardToken, token_type: 'Bearer', scope: 'openid email' },
      ...{ profile: { sub: demo.id, email: demo.email }, expires_at: Math.floor(Date.now() / 1000) + 3600 },
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

/** Returns the medians of one URL's scores, from 0 to 100. */
async function scoresOf(lighthouse: Lighthouse, url: string, form: (typeof FORMS)[number], port: number) {
  const scores = CATEGORIES.map(() => [] as number[]);
  for (let turn = 0; turn < TIMES; turn += 1) {
    const flags = { port, onlyCategories: [...CATEGORIES], logLevel: 'silent' };
    const result = await lighthouse.default(url, flags, form === 'desktop' ? lighthouse.desktopConfig : undefined);
    const { categories = {}, runtimeError } = result?.lhr ?? {};
    if (runtimeError) throw new Error(`${url}: ${runtimeError.message}`);
    for (const [at, category] of CATEGORIES.entries()) scores[at]?.push((categories[category]?.score ?? 0) * 100);
  }
  return scores.map(median);
}

/** Compares each score with the required 95: a ratio above 1 means that the score is too low. */
export async function rows(): Promise<Row[]> {
  const lighthouse = await install();
  const run = await startRun({ DATA_DIR: ':memory:' });
  const found: Row[] = [];
  const measure = async (screens: Record<string, string>, signedIn: boolean) => {
    const { port, close } = await openBrowser(run.local, signedIn);
    try {
      for (const [screen, path] of Object.entries(screens)) {
        for (const form of FORMS) {
          const scores = await scoresOf(lighthouse, `${run.local.baseUrl}/dashboard/${path}`, form, port);
          for (const [at, category] of CATEGORIES.entries()) {
            const what = `${screen}, ${form}: ${MIN_SCORE} against its ${category}`;
            found.push({ what, ours: MIN_SCORE, against: scores[at] ?? 0, unit: '', atMost: 1 });
          }
        }
      }
    } finally {
      await close();
    }
  };
  try {
    await measure({ login: '' }, false);
    await measure(await makeScreens(run.local), true);
  } finally {
    await run.stop();
  }
  return found;
}

/** `npm start`: the whole platform on this machine, until Ctrl-C. `--watch` (npm run dev) follows changes to the sources. */
import { makeReporter } from './console.ts';
import { Trouble } from './data-directory.ts';
import { type Platform, startPlatform } from './platform.ts';
import { deployExample } from './seeds/example.ts';
import { welcome } from './welcome.ts';

/** What npm allows for until it kills, less what is needed to leave. */
const PATIENCE = 4500;

const { PORT = '4000', DATA_DIR = '.local', LOCAL_JSON, LOCAL_GIT_ROOT } = process.env;
const port = Number(PORT);
const write = (text: string): void => console.log(text);

let platform: Platform | undefined;
let leaving = false;
async function leave(code: number): Promise<void> {
  if (leaving) return;
  leaving = true;
  setTimeout(() => process.exit(code), PATIENCE).unref();
  try {
    await platform?.stop();
  } finally {
    // The watchdog ends whatever is left, should this have gone wrong.
    process.exit(code);
  }
}
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => void leave(0));

try {
  if (!Number.isInteger(port) || port < 1 || port > 65_535) throw new Trouble(`PORT is no port: ${PORT}`);
  const started = performance.now();
  platform = await startPlatform({
    port,
    dataDir: DATA_DIR,
    localJson: LOCAL_JSON,
    gitRoot: LOCAL_GIT_ROOT,
    watch: process.argv.includes('--watch'),
    shell: process.env,
    reporter: makeReporter(write),
    onDeath: (message) => {
      console.error(message);
      void leave(1);
    },
  });
  if (leaving) await platform.stop();
  else {
    for (const line of welcome(platform.local, performance.now() - started)) write(line);
    write(`ready ${platform.local.baseUrl}`);
    // A run that keeps nothing is somebody's test: it has no use for an example and is not kept busy with one. With
    // repositories of one's own the example is not among them.
    const shows = DATA_DIR !== ':memory:' && LOCAL_GIT_ROOT === undefined;
    if (platform.first && shows) await deployExample(platform.local, write);
  }
} catch (error) {
  console.error(error instanceof Trouble ? error.message : error);
  process.exit(1);
}

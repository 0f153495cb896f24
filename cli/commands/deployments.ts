import { setTimeout as sleep } from 'node:timers/promises';
import { ApiError, type Application, type Deployment } from '../../client/index.ts';
import { APP, appOfRemote, chosenApp, namedApp, urlOf } from '../applications.ts';
import { type Command, CommandError, type Context, UsageError, YES } from '../command.ts';
import { listing } from '../listing.ts';
import { count, printable } from '../output.ts';
import { nameOf, type Repository, readRepository } from '../repository.ts';
import { FRAMEWORK, parseFramework } from './apps.ts';

/** The time between two checks of a deployment. A check takes two requests, so that following one uses a third of a key's rate. */
const INTERVAL_MS = 2500;
/** The number of other deployments that the command waits for before it gives up. */
const MAX_WAITS = 3;
/** The minimum length of an application's name. */
const MIN_NAME_LENGTH = 2;

function warnOf({ out }: Context, { branch: deployed }: Application, repository: Repository): void {
  const { branch, unpushed, hasChanges } = repository;
  const warn = (text: string) => out.note(`${out.style('yellow', 'warning')}: ${text}`);
  if (branch && branch !== deployed) warn(`You are on ${branch}; the application deploys ${deployed}.`);
  if (unpushed)
    warn(`${count(unpushed, 'commit')} ${unpushed === 1 ? 'is' : 'are'} not pushed and will not be deployed.`);
  if (hasChanges) warn('Changes that are not committed will not be deployed.');
}

/** Finds the application of the folder, or creates it after a confirmation. */
async function findOrCreate(context: Context): Promise<Application> {
  const { option, out, client, cwd, confirm, signal } = context;
  const named = option('app');
  if (named !== undefined) {
    const app = await namedApp(context, named);
    // The application may be unrelated to the folder.
    const repository = await readRepository(cwd).catch(() => undefined);
    if (repository && app.repoUrl && (await appOfRemote(context, repository.url))?.id === app.id)
      warnOf(context, app, repository);
    return app;
  }
  const repository = await readRepository(cwd);
  if (!repository)
    throw new UsageError(
      'This folder has no Git remote to deploy from. Push it to one, or name an application with --app.',
    );
  const found = await appOfRemote(context, repository.url);
  if (found) {
    warnOf(context, found, repository);
    return found;
  }
  const name = option('name') ?? nameOf(repository.url);
  if (name.length < MIN_NAME_LENGTH) throw new UsageError(`Choose a name with --name: "${name}" is too short.`);
  const { branch, url: repoUrl } = repository;
  await confirm(`Create the application "${name}" from ${repoUrl}${branch ? `, branch ${branch}` : ''}?`);
  const framework = parseFramework(option('framework'), cwd);
  const app = await client().createApp({ name, repoUrl, branch, framework, deployNow: false }, { signal });
  out.note(`Created ${app.name} (${app.id}).`);
  warnOf(context, app, repository);
  return app;
}

/** Prints the lines of a deployment's log after a line number. @returns the number of the last line */
async function printLog({ client, out, signal }: Context, id: string, after: number): Promise<number> {
  const api = client();
  for (let last = after; ; ) {
    const { data, has_more } = await api.readDeploymentLog({ id, after: last, limit: 1000 }, { signal });
    for (const { n, text } of data) {
      const line = printable(text);
      out.log(line.startsWith('==>') ? out.style('bold', line) : line);
      last = n;
    }
    if (!has_more || data.length === 0) return last;
  }
}

/** Prints the log of a deployment as it grows. @returns the finished deployment */
async function follow(context: Context, { id, applicationId }: Deployment): Promise<Deployment> {
  const { client, out, signal } = context;
  const api = client();
  let queueNote = '';
  for (let after = 0; ; ) {
    const { data } = await api.listDeployments({ id: applicationId, limit: 20 }, { signal });
    const deployment = data.find((listed) => listed.id === id);
    if (!deployment) throw new CommandError(`The deployment ${id} is gone: the application was deleted.`);
    const queue = deployment.status === 'QUEUED' ? (await api.getDeployment({ id }, { signal })).queue : null;
    const next = queue ? `${queue.reason} (number ${queue.position} in your queue)` : queueNote;
    if (next !== queueNote) out.note(next);
    queueNote = next;
    after = await printLog(context, id, after);
    if (deployment.finishedAt !== null) return deployment;
    await sleep(INTERVAL_MS, undefined, { signal });
  }
}

/** Returns a new deployment, or the conflict error if another one is in progress. */
async function tryToCreate({ client, signal }: Context, id: string): Promise<Deployment | ApiError> {
  return await client()
    .createDeployment({ id }, { signal })
    .catch((error: unknown) => {
      if (error instanceof ApiError && error.code === 'conflict') return error;
      throw error;
    });
}

/** Returns the unfinished deployments of an application. Those in the queue have not cloned the repository yet. */
async function readUnfinished({ client, signal }: Context, id: string) {
  const { data } = await client().listDeployments({ id, limit: 20 }, { signal });
  const listed = data.filter(({ finishedAt }) => finishedAt === null);
  const read = await Promise.all(
    listed.map(async (deployment) => {
      const { status, queue, finishedAt } = await client().getDeployment({ id: deployment.id }, { signal });
      return { deployment, finishedAt, isQueued: status === 'QUEUED' && queue !== null };
    }),
  );
  // The list may lag behind.
  return read.filter(({ finishedAt }) => finishedAt === null);
}

/**
 * Starts a deployment of the newest commit. A deployment that started before the command may lack that commit, so the command follows
 * it to its end and then starts a new one. A deployment that started later, by a push or another person, has the commit. It is
 * returned instead of a new one, so that concurrent commands do not wait for each other.
 */
async function start(context: Context, id: string): Promise<Deployment> {
  const { out, signal } = context;
  let earlier: readonly string[] = [];
  let wasIdle = false;
  for (let waits = 0; ; waits += 1) {
    const created = await tryToCreate(context, id);
    if (!(created instanceof ApiError)) return created;
    const unfinished = await readUnfinished(context, id);
    const isLater = (deployment: Deployment) => earlier.length > 0 && !earlier.includes(deployment.id);
    const newest = unfinished.find(
      ({ deployment, isQueued }) => deployment.trigger !== 'ROLLBACK' && (isQueued || isLater(deployment)),
    )?.deployment;
    if (newest) {
      out.note(`Deployment ${newest.id} already deploys the newest commit. No new one is started.`);
      return newest;
    }
    const active = unfinished[0]?.deployment;
    // The API refused for another reason, or the other deployment has finished in between.
    if (!active && wasIdle) throw created;
    if (waits === MAX_WAITS)
      throw new CommandError(
        `Nothing was deployed: other deployments came first ${MAX_WAITS} times. Run hosting deploy again.`,
      );
    wasIdle = !active;
    if (active) {
      earlier = [...earlier, active.id];
      out.note(`Deployment ${active.id} is in progress. A new one starts when it has finished.`);
      const { status } = await follow(context, active);
      out.note(`Deployment ${active.id} has finished: ${status}.`);
    } else await sleep(INTERVAL_MS, undefined, { signal });
  }
}

const deploy: Command = {
  name: 'deploy',
  summary: 'Deploy the application of this folder, and follow the deployment to its end',
  description:
    'The command finds the application by the folder’s Git remote, or creates it, and deploys the code at the remote. If another deployment is in progress, it waits for its end and then starts one. The exit code is 1 if the deployment fails.',
  options: [
    APP,
    { name: 'follow', short: 'f', description: 'Follow the log and wait for the end (the default)' },
    { name: 'detach', short: 'd', description: 'Return as soon as the deployment has started' },
    { name: 'name', value: 'name', description: 'Name of a new application. Default: the name of the repository' },
    FRAMEWORK,
    YES,
  ],
  examples: ['hosting deploy', 'hosting deploy --yes --json', 'hosting deploy --app my-shop --detach'],
  async run(context) {
    const { out, flag, api } = context;
    const app = await findOrCreate(context);
    const started = await start(context, app.id);
    const deployment = flag('detach') ? started : await follow(context, started);
    const url = urlOf(api(), app);
    const { status, id } = deployment;
    out.result({ ...deployment, url }, () => {
      if (status === 'SUCCEEDED') out.line(`${out.style('green', 'Deployed')}: ${url}`);
      else if (status !== 'FAILED') out.line(`Started ${id}. hosting deployments shows its progress.`);
    });
    if (status === 'FAILED')
      throw new CommandError(
        `The deployment failed.${app.liveDeploymentId === null ? '' : ' The previous release stays live.'}`,
      );
  },
};

const list = listing({
  name: 'deployments',
  summary: 'List the latest deployments of an application',
  options: [APP],
  async read(context) {
    const { id } = await chosenApp(context);
    return (await context.client().listDeployments({ id, limit: 20 }, { signal: context.signal })).data;
  },
  columns: {
    id: ({ id }) => id,
    status: ({ status }) => status,
    trigger: ({ trigger }) => trigger,
    commit: ({ commitSha }) => commitSha,
    started: ({ startedAt }) => startedAt,
    finished: ({ finishedAt }) => finishedAt,
  },
  none: 'No deployments yet.',
});

const logs: Command = {
  name: 'logs',
  summary: 'Show the runtime log of the application for the last 24 hours',
  options: [APP, { name: 'follow', short: 'f', description: 'Follow the log' }],
  examples: ['hosting logs -f', 'hosting logs --app my-shop --json'],
  async run(context) {
    const { client, out, flag, signal } = context;
    const { id } = await chosenApp(context);
    for (let after: string | undefined; ; ) {
      const { data, has_more } = await client().readAppLogs({ id, after, limit: 1000 }, { signal });
      for (const line of data) {
        out.item(line, () => out.line(`${out.style('dim', line.at)} ${printable(line.text)}`));
        after = line.id;
      }
      if (has_more && data.length > 0) continue;
      if (!has_more && !flag('follow')) return;
      // An empty page with more to come skipped lines of the platform itself. The next read continues after them.
      await sleep(INTERVAL_MS, undefined, { signal });
    }
  },
};

export const deploymentCommands: readonly Command[] = [deploy, list, logs];

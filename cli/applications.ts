import type { Application, Client } from '../client/index.ts';
import { CommandError, type Context, type Option, UsageError } from './command.ts';
import { readRepository, remoteKey } from './repository.ts';

/** The option that selects the application of a command. */
export const APP: Option = {
  name: 'app',
  short: 'a',
  value: 'name',
  description: 'Id, slug or name of the application. Default: the application of this folder’s Git remote',
};

async function allApps(client: Client, signal: AbortSignal): Promise<Application[]> {
  const apps = await client.listApps({ limit: 100 }, { signal }).all();
  return apps.filter(({ status }) => status !== 'DELETING');
}

const listed = (apps: readonly Application[]) => apps.map(({ name, slug }) => `${name} (${slug})`).join(', ');

/** Returns the only application of a list; undefined if it is empty. @throws UsageError for several */
function only(apps: readonly Application[], match: string): Application | undefined {
  if (apps.length > 1) throw new UsageError(`Several applications ${match}: ${listed(apps)}. Name one with --app.`);
  return apps[0];
}

/** Returns the application with an id, slug or name. @throws CommandError */
export async function namedApp({ client, signal }: Context, name: string): Promise<Application> {
  const apps = await allApps(client(), signal);
  const exact = apps.find(({ id, slug }) => id === name || slug === name);
  const found =
    exact ??
    only(
      apps.filter((app) => app.name.toLowerCase() === name.toLowerCase()),
      `are named "${name}"`,
    );
  if (!found) throw new CommandError(`There is no application "${name}". hosting apps lists them.`);
  return found;
}

/** Returns the application that is deployed from a repository, if there is one. */
export async function appOfRemote({ client, signal }: Context, url: string): Promise<Application | undefined> {
  const key = remoteKey(url);
  const apps = (await allApps(client(), signal)).filter(
    ({ repoUrl }) => repoUrl !== null && remoteKey(repoUrl) === key,
  );
  return only(apps, `are deployed from ${url}`);
}

/** Returns the application of a command: the one in `--app`, or the one of the folder's remote. @throws CommandError */
export async function chosenApp(context: Context): Promise<Application> {
  const name = context.option('app');
  if (name !== undefined) return await namedApp(context, name);
  const repository = await readRepository(context.cwd);
  if (!repository) throw new UsageError('This folder has no Git remote. Name the application with --app.');
  const app = await appOfRemote(context, repository.url);
  if (!app) throw new CommandError(`No application is deployed from ${repository.url}. hosting deploy creates one.`);
  return app;
}

/** Returns the URL of an application, with the protocol and port of the installation: https without a port, or those of a local run. */
export function urlOf(api: string, { primaryDomain }: Pick<Application, 'primaryDomain'>): string {
  const { protocol, port } = new URL(api);
  return `${protocol}//${primaryDomain}${port ? `:${port}` : ''}`;
}

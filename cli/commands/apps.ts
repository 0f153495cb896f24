import { FRAMEWORKS } from '../../contract/enums.ts';
import { APP, chosenApp, namedApp, urlOf } from '../applications.ts';
import { type Command, type Option, UsageError, YES } from '../command.ts';
import { listing } from '../listing.ts';
import { frameworkOf } from '../repository.ts';

/** The option for the framework of a new application. */
export const FRAMEWORK: Option = {
  name: 'framework',
  value: 'framework',
  choices: FRAMEWORKS,
  description: `${FRAMEWORKS.join(', ')}. Default: detected from package.json`,
};

/** Returns the framework with a name, or the framework of the folder. @throws UsageError */
export function parseFramework(text: string | undefined, cwd: string): (typeof FRAMEWORKS)[number] {
  if (text === undefined) return frameworkOf(cwd);
  const found = FRAMEWORKS.find((framework) => framework === text.toUpperCase());
  if (!found) throw new UsageError(`--framework must be one of ${FRAMEWORKS.join(', ')}.`);
  return found;
}

const list = listing({
  name: 'apps list',
  summary: 'List your applications',
  read: ({ client, signal }) => client().listApps({ limit: 100 }, { signal }).all(),
  columns: {
    name: ({ name }) => name,
    status: ({ status }) => status,
    'last deployment': ({ lastDeploymentStatus }) => lastDeploymentStatus,
    url: (app, { api }) => urlOf(api(), app),
    id: ({ id }) => id,
  },
  none: 'No applications yet. hosting deploy creates one from the current folder.',
});

const show: Command = {
  name: 'apps show',
  summary: 'Show an application',
  options: [APP],
  async run(context) {
    const app = await chosenApp(context);
    const { out, api } = context;
    out.result(app, () => {
      const { id, name, status, repoUrl, branch, framework, nodeVersion, buildCommand, startCommand, autoDeploy } = app;
      out.fields({ name, id, status, url: urlOf(api(), app), repository: repoUrl, branch, framework });
      out.fields({ node: nodeVersion, build: buildCommand, start: startCommand ?? app.startFile, autoDeploy });
      for (const { reason } of app.suspensions ?? []) out.line(out.style('yellow', `Suspended: ${reason}`));
    });
  },
};

const create: Command = {
  name: 'apps create',
  summary: 'Create an application without deploying it',
  arguments: [{ name: 'name', description: '2 to 60 characters' }],
  options: [
    { name: 'repo', value: 'url', description: 'Git repository, https:// or git@' },
    { name: 'branch', value: 'branch', description: 'Default: main, or the repository’s default branch' },
    FRAMEWORK,
  ],
  examples: ['hosting apps create "My shop" --repo https://github.com/example/my-shop.git'],
  async run({ argument, option, client, out, api, cwd, signal }) {
    const framework = parseFramework(option('framework'), cwd);
    const app = await client().createApp(
      {
        name: argument('name'),
        framework,
        deployNow: false,
        repoUrl: option('repo'),
        branch: option('branch'),
      },
      { signal },
    );
    out.result(app, () => out.line(`Created ${app.name}: ${urlOf(api(), app)}`));
  },
};

const remove: Command = {
  name: 'apps delete',
  summary: 'Delete an application with its releases and databases',
  arguments: [{ name: 'app', description: 'Id, slug or name of the application' }],
  options: [YES],
  async run(context) {
    const { argument, client, out, confirm, signal } = context;
    const app = await namedApp(context, argument('app'));
    await confirm(`Delete ${app.name} with its releases, variables and databases? This cannot be undone.`);
    const deleted = await client().deleteApp({ id: app.id }, { signal });
    out.result(deleted, () => out.line(`Deleted ${app.name}.`));
  },
};

export const appCommands: readonly Command[] = [list, show, create, remove];

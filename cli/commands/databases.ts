import { APP, chosenApp } from '../applications.ts';
import type { Command } from '../command.ts';
import { listing } from '../listing.ts';

const list = listing({
  name: 'db list',
  summary: 'List the databases of your applications',
  read: ({ client, signal }) => client().listDatabases({ limit: 100 }, { signal }).all(),
  columns: {
    name: ({ name }) => name,
    status: ({ status }) => status,
    application: ({ applicationId }) => applicationId,
    variable: ({ variables }) => variables[0] ?? null,
    id: ({ id }) => id,
  },
  none: 'No databases yet. hosting db create <name>',
});

const create: Command = {
  name: 'db create',
  summary: 'Create a database for an application',
  arguments: [{ name: 'name', description: 'Letters, digits, _ and -, beginning with a letter' }],
  options: [APP],
  async run(context) {
    const { client, argument, out, signal } = context;
    const app = await chosenApp(context);
    const database = await client().createDatabase({ applicationId: app.id, name: argument('name') }, { signal });
    out.result(database, () =>
      out.line(`${database.name} is being created. ${app.name} finds it as DATABASE_URL from its next deployment on.`),
    );
  },
};

export const databaseCommands: readonly Command[] = [list, create];

import { type ChildProcess, spawn } from 'node:child_process';
import { APP, chosenApp } from '../applications.ts';
import { type Command, CommandError, type Context, YES } from '../command.ts';
import { listing } from '../listing.ts';

const list = listing({
  name: 'db list',
  summary: 'List the databases of your applications',
  read: ({ client, signal }) => client().listDatabases({ limit: 100 }, { signal }).all(),
  columns: {
    name: ({ name }) => name,
    status: ({ status, access }) => (access === 'OWNER' || access === 'NONE' ? `${status}, limit reached` : status),
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
      // Not DATABASE_URL, which belongs to the application's oldest database.
      out.line(
        `${database.name} is being created. ${app.name} receives its address as ${database.variables[0]} with the next deployment.`,
      ),
    );
  },
};

const DATABASE = { name: 'database', description: 'Name or id of the database' };

/** Returns the database that the command names. @throws CommandError if there is none, or several with that name */
async function namedDatabase({ client, argument, signal }: Context) {
  const wanted = argument(DATABASE.name);
  const all = await client().listDatabases({ limit: 100 }, { signal }).all();
  const found = all.filter(({ id, name }) => id === wanted || name === wanted);
  const [database] = found;
  if (!database) throw new CommandError(`You have no database ${wanted}. hosting db list shows them.`);
  if (found.length > 1)
    throw new CommandError(
      `Several databases are named ${wanted}. Give the id: ${found.map(({ id }) => id).join(', ')}.`,
    );
  return database;
}

/** Waits for a program that uses the terminal. Until it exits, it receives Ctrl-C (psql cancels a query with it). */
async function waitForExit(child: ChildProcess): Promise<number | null> {
  const listeners = process.listeners('SIGINT');
  const ignore = () => undefined;
  process.removeAllListeners('SIGINT').on('SIGINT', ignore);
  try {
    return await new Promise((resolve, reject) => {
      child.once('error', reject);
      child.once('exit', resolve);
    });
  } finally {
    process.off('SIGINT', ignore);
    for (const listener of listeners) process.on('SIGINT', listener);
  }
}

const psql: Command = {
  name: 'db psql',
  summary: 'Open a database with psql',
  description: 'Requires psql, a part of PostgreSQL. It receives a password that is valid for an hour.',
  arguments: [DATABASE, { name: 'option', description: 'Options of psql, after --', optional: true, many: true }],
  examples: ['hosting db psql main', 'hosting db psql main -- --command "SELECT 1"'],
  async run(context) {
    const { client, rest, signal, env } = context;
    const { id, name, status } = await namedDatabase(context);
    if (status === 'PROVISIONING') throw new CommandError(`${name} is still being created. Try again in a minute.`);
    const { host, port, database, user, password, sslMode } = await client().createDatabasePassword({ id }, { signal });
    const connection = { PGHOST: host, PGPORT: String(port), PGDATABASE: database, PGUSER: user, PGSSLMODE: sslMode };
    // The password is in the environment, because other users of the machine can read arguments.
    const child = spawn('psql', [...rest], { stdio: 'inherit', env: { ...env, ...connection, PGPASSWORD: password } });
    const code = await waitForExit(child).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'ENOENT') throw error;
      throw new CommandError(
        'psql is not installed. Install the PostgreSQL client: apt install postgresql-client, or brew install libpq.',
      );
    });
    if (code !== 0) throw new CommandError(`psql ended with ${code ?? 'a signal'}.`);
  },
};

const resetPasswords: Command = {
  name: 'db reset-passwords',
  summary: 'Revoke all existing passwords of a database',
  description: 'The application keeps its access. Open connections stay for an hour at most.',
  arguments: [DATABASE],
  options: [YES],
  async run(context) {
    const { client, out, signal, confirm } = context;
    const { id, name } = await namedDatabase(context);
    await confirm(`Revoke all passwords of ${name}?`);
    const database = await client().resetDatabasePasswords({ id }, { signal });
    out.result(database, () => out.line(`The passwords of ${name} are being revoked. This takes a few seconds.`));
  },
};

const remove: Command = {
  name: 'db delete',
  summary: 'Delete a database and its data',
  arguments: [DATABASE],
  options: [YES],
  async run(context) {
    const { client, out, signal, confirm } = context;
    const { id, name } = await namedDatabase(context);
    await confirm(`Delete the database ${name} with all its data? This cannot be undone.`);
    const deleted = await client().deleteDatabase({ id }, { signal });
    out.result(deleted, () => out.line(`${name} is being deleted.`));
  },
};

export const databaseCommands: readonly Command[] = [list, create, psql, resetPasswords, remove];

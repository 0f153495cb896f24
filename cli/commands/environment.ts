import { writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { ApiError } from '../../client/index.ts';
import { describeUnread, parseDotenv } from '../../contract/apps/dotenv.ts';
import { APP, chosenApp } from '../applications.ts';
import { type Command, CommandError, type Context, UsageError, YES } from '../command.ts';
import { count } from '../output.ts';
import { readAll, readTextFile } from '../text.ts';

const FILE = { name: 'file', description: 'The file. Default: .env', optional: true } as const;
const NEXT = 'It takes effect with the next deployment.';

/** Reads a file of variables; undefined if it does not exist. */
function readVariables(path: string): { text: string; values: Map<string, string> } | undefined {
  try {
    const text = readTextFile(path);
    return { text, values: new Map(parseDotenv(text).map(({ key, value }) => [key, value])) };
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw error;
  }
}

/** Awaits a change. An error names the variable instead of its index in the request. @throws CommandError */
async function naming<Result>(vars: readonly { key: string }[], change: Promise<Result>): Promise<Result> {
  return await change.catch((error: unknown) => {
    const [, index, reason] =
      (error instanceof ApiError && /^(?:set|vars)\.(\d+)\.\w+: (.*)/s.exec(error.message)) || [];
    const key = vars[Number(index)]?.key;
    throw key === undefined ? error : new CommandError(`${key}: ${reason}`);
  });
}

const show = ({ out }: Context, keys: readonly string[], done: string) => out.result({ keys }, () => out.line(done));

const list: Command = {
  name: 'env list',
  summary: 'List the names of the environment variables; values are never returned',
  options: [APP],
  async run(context) {
    const { client, out, signal } = context;
    const { id } = await chosenApp(context);
    const { keys } = await client().listEnvKeys({ id }, { signal });
    out.result({ keys }, () => {
      for (const key of keys.length > 0 ? keys : ['No variables yet. hosting env set KEY=value']) out.line(key);
    });
  },
};

const pull: Command = {
  name: 'env pull',
  summary: 'Add the names of the variables to a file, with empty values',
  description:
    'Values are never shown. Existing lines of the file stay. An empty value in hosting env push keeps the stored value.',
  arguments: [FILE],
  options: [APP],
  async run(context) {
    const { argument, client, cwd, signal } = context;
    const { id } = await chosenApp(context);
    const { keys } = await client().listEnvKeys({ id }, { signal });
    const name = argument('file') || '.env';
    const path = resolve(cwd, name);
    const before = readVariables(path);
    const added = keys.filter((key) => !before?.values.has(key));
    const text = before?.text ?? '';
    const separator = text === '' || text.endsWith('\n') ? '' : '\n';
    if (added.length > 0 || !before)
      writeFileSync(path, text + separator + added.map((key) => `${key}=\n`).join(''), { mode: 0o600 });
    show(context, keys, `${added.length} of ${keys.length} names added to ${name}.`);
  },
};

const push: Command = {
  name: 'env push',
  summary: 'Replace all variables with those of a file; an empty value keeps the stored value',
  description:
    'The file has lines of the form NAME=value, with or without quotes. The command names lines that it cannot read, and asks before it continues.',
  arguments: [FILE],
  options: [APP, YES],
  async run(context) {
    const { argument, client, cwd, confirm, out, signal } = context;
    const name = argument('file') || '.env';
    const file = readVariables(resolve(cwd, name));
    if (!file) throw new CommandError(`There is no file ${name}.`);
    const app = await chosenApp(context);
    const unread = describeUnread(file.text);
    if (unread !== '') {
      out.note(`${out.style('yellow', 'warning')}: ${name}: ${unread}`);
      await confirm(`Replace the variables of ${app.name} anyway?`);
    }
    const { keys } = await client().listEnvKeys({ id: app.id }, { signal });
    const removed = keys.filter((key) => !file.values.has(key));
    if (removed.length > 0) await confirm(`${name} does not have ${removed.join(', ')}: remove from ${app.name}?`);
    const vars = [...file.values].map(([key, value]) => ({ key, value }));
    const replaced = await naming(vars, client().replaceEnv({ id: app.id, vars }, { signal }));
    show(context, replaced.keys, `${app.name} now has ${count(replaced.keys.length, 'variable')}. ${NEXT}`);
  },
};

const set: Command = {
  name: 'env set',
  summary: 'Set single variables; other variables stay',
  arguments: [{ name: 'KEY=value', description: 'A variable. A name alone reads its value from stdin', many: true }],
  options: [APP],
  examples: ['hosting env set GREETING=Hello', 'hosting env set API_TOKEN < token.txt'],
  async run(context) {
    const { rest, client, stdin, signal } = context;
    const vars = [];
    for (const assignment of rest) {
      const [, key, value] = /^([^=]+)(?:=(.*))?$/s.exec(assignment) ?? [];
      if (!key) throw new UsageError(`"${assignment}" is not of the form KEY=value.`);
      if (value === undefined && (rest.length > 1 || stdin.isTTY)) throw new UsageError(`${key} has no value.`);
      vars.push({ key, value: value ?? (await readAll(stdin)).replace(/\r?\n$/, '') });
    }
    const app = await chosenApp(context);
    const { keys } = await naming(vars, client().updateEnv({ id: app.id, set: vars }, { signal }));
    show(context, keys, `Set ${vars.map(({ key }) => key).join(', ')} of ${app.name}. ${NEXT}`);
  },
};

const unset: Command = {
  name: 'env unset',
  summary: 'Remove single variables; other variables stay',
  arguments: [{ name: 'KEY', description: 'The name of a variable', many: true }],
  options: [APP],
  async run(context) {
    const { rest, client, signal } = context;
    const app = await chosenApp(context);
    const stored = await client().listEnvKeys({ id: app.id }, { signal });
    const unknown = rest.filter((key) => !stored.keys.includes(key));
    if (unknown.length > 0)
      throw new CommandError(`${app.name} has no variable ${unknown.join(', ')}. Nothing was removed.`);
    const { keys } = await client().updateEnv({ id: app.id, remove: [...rest] }, { signal });
    show(context, keys, `Removed ${rest.join(', ')} from ${app.name}. ${NEXT}`);
  },
};

export const environmentCommands: readonly Command[] = [list, pull, push, set, unset];

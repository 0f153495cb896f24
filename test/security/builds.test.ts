import { readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { BatchGetBuildsCommand, CodeBuildClient, ListBuildsForProjectCommand } from '@aws-sdk/client-codebuild';
import { GetExecutionHistoryCommand, SFNClient } from '@aws-sdk/client-sfn';
import { describe, expect, test } from 'vitest';
import { createApp } from '../../contract/apps/apps.ts';
import { replaceEnv } from '../../contract/apps/environment.ts';
import { deployer } from '../support/deployer.ts';
import { local, newAccount } from '../support/harness.ts';

/** Builds and customer code, over HTTP (docs/threat-model.md). */

const credentials = { accessKeyId: 'local', secretAccessKey: 'local' };
const at = (endpoint = '') => ({ region: 'af-south-1', endpoint, credentials });

/** Deploys an application whose commands are given by variables: `node -e "$BUILD"`. */
async function deployWith(name: string, variables: Record<string, string>, commands: Record<string, string>) {
  const account = await newAccount();
  const body = { name, framework: 'NODE' as const, repoUrl: 'https://git.localhost/hello-node.git', deployNow: false };
  const { id } = (await account.call(createApp, { body: { ...body, ...commands } })).body.data;
  const vars = Object.entries(variables).map(([key, value]) => ({ key, value }));
  const stored = await account.call(replaceEnv, { params: { id }, body: { vars } });
  expect(stored.status).toBe(200);
  return { id, deployment: await deployer(() => account).deploy(id) };
}

const ROUNDS = 100;
/**
 * Left behind by the install command. Looks a hundred times at its own environment, those of all processes above it (the
 * shell, npm, the builder), CodeBuild's copy of the environment and the credentials endpoint; and uses what it finds. A later
 * command, which has this source in its environment, may get the id of one that has ended: only addresses count.
 */
const THIEF = `
const { readFileSync, writeFileSync } = require('node:fs');
const read = (path) => { try { return readFileSync(path, 'latin1'); } catch { return ''; } };
const parents = process.env.PARENTS.split(',');
/** A kept connection may have been closed meanwhile. */
const ask = async (url, options, left = 5) => {
  try { return (await fetch(url, options)).status; } catch (error) { if (left === 0) throw error; return await ask(url, options, left - 1); }
};
(async () => {
  const found = { own: new Set(), urls: new Map(), credentials: 0, read: 0 };
  for (let round = 0; round < ${ROUNDS}; round++) {
    const own = read('/proc/self/environ').split('\\0').map((each) => each.split('=')[0]);
    for (const name of own) if (/^(AWS_|JOB_URL|BUILD|CODEBUILD|DEPLOYMENT)/.test(name)) found.own.add(name);
    for (const path of [...parents.map((pid) => '/proc/' + pid + '/environ'), '/codebuild/output/tmp/env.sh']) {
      const text = read(path);
      if (text !== '') found.read++;
      for (const [, url] of text.matchAll(/JOB_URL=["']?(http[^\\0"'\\s]+)/g)) if (!found.urls.has(url)) {
        const answers = [];
        for (const method of ['GET', 'PUT', 'DELETE']) answers.push(await ask(url, { method, body: method === 'PUT' ? 'x' : undefined }));
        answers.push(await ask(url.replace(/jobs[/]dep_/, 'artifacts/app_1/dep_')), await ask(url.replace(/jobs[/]dep_/, 'jobs/dep_0')));
        found.urls.set(url, answers);
      }
      if (/AWS_(SECRET_ACCESS_KEY|SESSION_TOKEN|CONTAINER_CREDENTIALS_RELATIVE_URI)=/.test(text)) found.credentials++;
    }
  }
  writeFileSync('loot.json', JSON.stringify({ ...found, own: [...found.own], urls: [...found.urls.values()] }));
})().catch((error) => writeFileSync('loot.json', JSON.stringify({ own: String(error) })));`;
/** Starts the thief in a session of its own and ends, so that the thief is left behind. */
const LEAVE = `const { readFileSync } = require('node:fs');
  const parentOf = (pid) => Number(/^PPid:\\s+(\\d+)/m.exec(readFileSync('/proc/' + pid + '/status', 'latin1'))[1]);
  const above = (pid, left) => left > 0 && pid > 1 ? [pid, ...above(parentOf(pid), left - 1)] : [];
  require('node:child_process').spawn(process.execPath, ['-e', process.env.THIEF],
    { detached: true, stdio: 'ignore', env: { ...process.env, PARENTS: above(process.ppid, 3).join() } }).unref();`;
/** Waits for the thief and prints what it found. */
const PRINT = `const { existsSync, readFileSync } = require('node:fs');
setInterval(() => { try { console.log('loot ' + JSON.stringify(JSON.parse(readFileSync('loot.json', 'utf8')))); process.exit(0); } catch {} }, 100);`;

describe.concurrent('customer code', () => {
  test('a process that a build’s command left behind finds nothing of value', async () => {
    const { deployment } = await deployWith(
      'Thief',
      { THIEF, LEAVE, PRINT },
      { installCommand: 'node -e "$LEAVE"', buildCommand: 'node -e "$PRINT"' },
    );
    expect(deployment.status, deployment.log).toBe('SUCCEEDED');
    const loot = JSON.parse(/^loot (\{.*\})$/m.exec(deployment.log)?.[1] ?? '{}');
    expect(loot.own, 'its own environment').toEqual([]);
    expect(loot.credentials, 'credentials in the environments above it').toBe(0);
    // Here the commands run as the builder's own user, so the thief has looked where the build's user cannot. The job is
    // gone, which S3 does not tell a role that may not list; its address can neither replace it nor reach anything else.
    expect(loot.urls.length, 'addresses of jobs').toBeGreaterThan(0);
    for (const answers of loot.urls) expect(answers).toEqual([403, 403, 403, 403, 403]);
    expect(loot.read, 'the thief could look').toBeGreaterThanOrEqual(ROUNDS);
  });

  test('the listings of a build are worthless to operators once it runs', async () => {
    const { deployment } = await deployWith('Listed', { TOKEN: 'listed-secret-value' }, { buildCommand: 'true' });
    expect(deployment.status, deployment.log).toBe('SUCCEEDED');
    const builds = new CodeBuildClient(at(local.environment.AWS_ENDPOINT_URL_CODEBUILD));
    const { ids } = await builds.send(
      new ListBuildsForProjectCommand({ projectName: local.environment.BUILD_PROJECT_NAME }),
    );
    const found = (await builds.send(new BatchGetBuildsCommand({ ids: ids?.slice(0, 100) }))).builds ?? [];
    builds.destroy();
    const environment = found
      .map((build) => build.environment?.environmentVariables ?? [])
      .find((variables) => variables.some(({ value }) => value === deployment.id));
    expect(environment?.map(({ name }) => name)).toEqual(['DEPLOYMENT_ID', 'JOB_URL']);
    expect(JSON.stringify(environment)).not.toContain('listed-secret-value');
    const address = environment?.find(({ name }) => name === 'JOB_URL')?.value ?? '';
    // Gone: 403, as for all that a role which may not list the bucket does not find.
    expect((await fetch(address)).status).toBe(403);
    expect((await fetch(address, { method: 'PUT', body: 'other' })).status).toBe(403);
    const artifact = address.replace(/\/jobs\/[^?]+/, `/artifacts/${deployment.applicationId}/${deployment.id}.zip`);
    expect((await fetch(artifact)).status).toBe(403);
  });

  test('a server that crashes in its health check shows its variables nowhere', async () => {
    const secret = 'cr4shing s3rver/secret+value?';
    const forms = [secret, encodeURIComponent(secret), Buffer.from(secret).toString('base64')];
    const CRASH = `const v = process.env.TOKEN; console.error(v, encodeURIComponent(v), Buffer.from(v).toString('base64'));
      throw new Error('cannot start with ' + v);`;
    const { deployment } = await deployWith(
      'Crash',
      { TOKEN: secret, CRASH },
      { buildCommand: `node -e "require('fs').writeFileSync('server.js', process.env.CRASH)"` },
    );
    expect(deployment.status).toBe('FAILED');
    expect(deployment.log).toContain('The new release did not start: ');
    expect(deployment.log).toContain('cannot start with [redacted]');
    const states = new SFNClient(at(local.environment.AWS_ENDPOINT_URL_SFN));
    const executionArn = `${local.environment.DEPLOYMENT_STATE_MACHINE_ARN?.replace(':stateMachine:', ':execution:')}:${deployment.id}`;
    const history = JSON.stringify(await states.send(new GetExecutionHistoryCommand({ executionArn })));
    states.destroy();
    const dataDir = dirname(dirname(local.login.keyFile));
    // The output at run time belongs to the application, in a file of its own (logs/apps).
    const files = ['.', 'logs', 'executions', 'step-functions'].flatMap((folder) => textsIn(join(dataDir, folder)));
    expect(files.length).toBeGreaterThan(3);
    for (const text of [deployment.log, history, ...files]) for (const form of forms) expect(text).not.toContain(form);
  });

  test('variables called like properties of an object reach the build and the application', async () => {
    const names = ['__proto__', 'constructor', 'toString'];
    const variables = Object.fromEntries(names.map((name) => [name, `value of ${name}`]));
    const { deployment } = await deployWith('Properties', variables, { buildCommand: 'env | grep -c "=value of "' });
    expect(deployment.status, deployment.log).toBe('SUCCEEDED');
    expect(deployment.log.split('\n')).toContain('3');
  });
});

/** Returns the contents of a folder's files. */
const textsIn = (folder: string): string[] => {
  try {
    return readdirSync(folder)
      .map((name) => join(folder, name))
      .filter((file) => statSync(file).isFile() && statSync(file).size < 20_000_000)
      .map((file) => readFileSync(file, 'latin1'));
  } catch {
    return [];
  }
};

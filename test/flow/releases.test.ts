import { BatchGetBuildsCommand, CodeBuildClient, ListBuildsForProjectCommand } from '@aws-sdk/client-codebuild';
import { LambdaClient, ListVersionsByFunctionCommand } from '@aws-sdk/client-lambda';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { deleteApp, updateApp } from '../../contract/apps/apps.ts';
import { replaceEnv } from '../../contract/apps/environment.ts';
import { getDeployment, listDeployments } from '../../contract/deployments/deployments.ts';
import { rollBack } from '../../contract/deployments/rollback.ts';
import { get } from '../support/browse.ts';
import { deployer, newDeployingAccount } from '../support/deployer.ts';
import { codeOf, local, type OpenedAccount, waitFor } from '../support/harness.ts';
import { app, committer } from '../support/repositories.ts';

/** Rollbacks, deletions during a build and concurrent deployments. */
const commit = committer(inject('repositories'));
const { AWS_ENDPOINT_URL_CODEBUILD, AWS_ENDPOINT_URL_LAMBDA } = local.environment;
const credentials = { accessKeyId: 'local', secretAccessKey: 'local' };
const at = (endpoint = '') => ({ region: 'af-south-1', endpoint, credentials });
const builds = new CodeBuildClient(at(AWS_ENDPOINT_URL_CODEBUILD));
const hosts = new LambdaClient(at(AWS_ENDPOINT_URL_LAMBDA));
let account: OpenedAccount;
beforeAll(async () => {
  account = await newDeployingAccount();
});
afterAll(() => {
  builds.destroy();
  hosts.destroy();
});

const { create, begin, follow, deploy } = deployer(() => account);
const page = async (host: string) => (await get(local.baseUrl, host)).body;
const greet = (id: string, value: string) =>
  account.call(replaceEnv, { params: { id }, body: { vars: [{ key: 'GREETING', value }] } });

/** Returns the releases on an application's host. */
async function releasesOf(id: string): Promise<(string | undefined)[]> {
  const FunctionName = `${local.environment.APP_FUNCTION_PREFIX}${id}`;
  const { Versions = [] } = await hosts.send(new ListVersionsByFunctionCommand({ FunctionName }));
  return Versions.map(({ Version }) => Version).filter((version) => version !== '$LATEST');
}

test('a rollback restores code and variables together, without a build', async () => {
  const sha = commit('back', app("'one ' + process.env.GREETING"));
  const { id, primaryDomain } = await create('back');
  await greet(id, 'hello');
  const first = await deploy(id);
  commit('back', app("'two ' + process.env.GREETING"));
  await greet(id, 'goodbye');
  await deploy(id);
  expect(await page(primaryDomain)).toBe('two goodbye');

  const back = (deploymentId: string) => account.dashboard.call(rollBack, { params: { id }, body: { deploymentId } });
  const answers = await Promise.all([back(first.id), back(first.id)]);
  expect(answers.map(codeOf).sort(), 'one at a time').toEqual(['conflict', undefined]);
  const body = answers.find(({ status }) => status === 202)?.body ?? expect.fail('neither was accepted');
  expect(body.data).toMatchObject({ status: 'QUEUED', trigger: 'ROLLBACK', commitSha: sha, applicationId: id });
  const done = await follow(body.data.id);
  expect(done).toMatchObject({ status: 'SUCCEEDED', trigger: 'ROLLBACK', commitSha: sha });
  expect(done.log).toBe(`==> Rolling back to the release of ${first.id} (${sha})\n==> The new release is live\n`);
  expect(await page(primaryDomain)).toBe('one hello');

  commit('back', app("process.exit(3) + 'three'"));
  const failed = await deploy(id);
  expect(failed.status).toBe('FAILED');
  expect(await waitFor(async () => (await releasesOf(id)).join() === '1,2'), 'what never served is not kept').toBe(
    true,
  );
  expect(codeOf(await back(failed.id)), 'a release that never served').toBe('conflict');
  expect(codeOf(await back('dep_none'))).toBe('not_found');
  const answer = await account.dashboard.call(rollBack, { params: { id }, body: {} as { deploymentId: string } });
  expect(answer.error?.message).toBe('deploymentId: is required');
  expect(await page(primaryDomain)).toBe('one hello');
});

test('deleting an application during a build stops the build', async () => {
  commit('cancelled', app("'never'"));
  const { id } = await create('cancelled', { buildCommand: 'echo building; sleep 120' });
  const deployment = await begin(id);
  await waitFor(async () => {
    const { body } = await account.call(getDeployment, { params: { id: deployment.id } });
    return body.data.log.includes('building');
  });
  await account.call(deleteApp, { params: { id } });
  await waitFor(async () => {
    const { ids } = await builds.send(
      new ListBuildsForProjectCommand({ projectName: local.environment.BUILD_PROJECT_NAME }),
    );
    const found = (await builds.send(new BatchGetBuildsCommand({ ids: ids?.slice(0, 100) }))).builds ?? [];
    const ours = found.find(({ environment }) =>
      environment?.environmentVariables?.some(({ value }) => value === deployment.id),
    );
    return ours?.buildStatus === 'STOPPED';
  });
  await waitFor(async () => (await account.call(getDeployment, { params: { id: deployment.id } })).status === 404);
  expect((await account.call(updateApp, { params: { id }, body: {} })).status).toBe(404);
});

test('ten concurrent deployments all succeed, in about the order of their requests', async () => {
  const names = Array.from({ length: 10 }, (_, index) => `many-${index}`);
  const made = [];
  for (const name of names) {
    commit(name, app(`'${name}'`));
    made.push(await create(name));
  }
  const began = [];
  for (const { id } of made) began.push(await begin(id));
  const ended = await Promise.all(began.map(({ id }) => follow(id)));
  expect(ended.map(({ status }) => status)).toEqual(names.map(() => 'SUCCEEDED'));
  for (const [index, { primaryDomain }] of made.entries()) expect(await page(primaryDomain)).toBe(names[index]);
  // Two builds run at a time, and the steps after a build vary in length; but the first requests do not wait for the last.
  const times = ended.map(({ finishedAt }) => Date.parse(finishedAt ?? ''));
  const sum = (some: number[]) => some.reduce((total, time) => total + time, 0);
  expect(sum(times.slice(0, 5)), `${times}`).toBeLessThan(sum(times.slice(5)));
  const { data } = (await account.call(listDeployments, { params: { id: made[0]?.id ?? '' } })).body;
  expect(data).toHaveLength(1);
});

import { expect, test } from 'vitest';
import { deploymentSimulation } from '../../test/simulation/deployments.ts';
import { updateApp } from '../apps/apps.ts';
import { recordDetected } from './detected.ts';

const found = {
  ...({ framework: 'Express', packageManager: 'pnpm 10', nodeVersion: '20', buildCommand: null } as const),
  start: 'node app.js',
};

async function application(fields: Parameters<typeof deploymentSimulation>[0] = {}) {
  const made = await deploymentSimulation(fields);
  const ids = { ...made.ids, deploymentId: 'dep_1' };
  type Changes = Parameters<typeof updateApp>[2];
  const patch = (changes: Partial<Changes>) =>
    updateApp(made.deps, made.caller, { id: made.ids.applicationId, ...changes } as Changes);
  return {
    ...made,
    ids,
    patch,
    record: (of: Parameters<typeof recordDetected>[2]) => recordDetected(made.deps, ids, of),
  };
}

test('the settings show what a build found', async () => {
  const { app, record, patch } = await application();
  await record(found);
  expect((await app())?.detected).toEqual(found);
  expect((await patch({ autoDeploy: true })).data.detected).toEqual(found);
  await record(undefined);
  expect((await app())?.detected).toEqual(found);
});

test('the default branch is stored where the owner chose none, and only there', async () => {
  const byDefault = await application({ branchByDefault: true });
  await byDefault.record({ ...found, branch: 'master' });
  expect(await byDefault.app()).toMatchObject({ branch: 'master', branchByDefault: true });
  await byDefault.patch({ branch: 'release', nodeVersion: '24' });
  await byDefault.record({ ...found, branch: 'master' });
  const app = await byDefault.app();
  expect(app).toMatchObject({ branch: 'release', nodeVersion: '24', detected: found });
  expect(app).not.toHaveProperty('branchByDefault');
  expect(app).not.toHaveProperty('nodeVersionByDefault');
});

test('a deleted application is left alone', async () => {
  const { app, set, record } = await application({ branchByDefault: true });
  await set({ status: 'DELETING' });
  await record({ ...found, branch: 'master' });
  expect(await app()).toMatchObject({ branch: 'main' });
  expect(await app()).not.toHaveProperty('detected');
});

test('a repository is changed only to a public one', async () => {
  const { patch } = await application();
  expect((await patch({ repoUrl: 'https://github.com/you/other.git' })).data.repoUrl).toContain('other');
  await expect(patch({ repoUrl: 'https://10.0.0.1/x.git' })).rejects.toThrow('must be on a public name');
});

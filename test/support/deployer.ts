import { createApp } from '../../contract/apps/apps.ts';
import { createDeployment, getDeployment } from '../../contract/deployments/deployments.ts';
import { type OpenedAccount, waitFor } from './harness.ts';

interface Fields {
  buildCommand?: string;
  nodeVersion?: '20' | '22' | '24';
}

/** Creates applications of an account and deploys them. */
export function deployer(account: () => OpenedAccount) {
  const begin = async (id: string) => (await account().call(createDeployment, { params: { id } })).body.data;
  /** Waits until the deployment has finished. */
  const follow = (id: string) =>
    waitFor(async () => {
      const { data } = (await account().call(getDeployment, { params: { id } })).body;
      return data.finishedAt !== null && data;
    });
  return {
    begin,
    follow,
    deploy: async (id: string) => await follow((await begin(id)).id),
    /** Creates an application whose repository has its name. */
    async create(name: string, fields: Fields = {}) {
      const repoUrl = `https://git.localhost/${name}.git`;
      const body = { name, framework: 'NODE' as const, repoUrl, deployNow: false, ...fields };
      return (await account().call(createApp, { body })).body.data;
    },
  };
}

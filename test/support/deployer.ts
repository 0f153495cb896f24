import { createApp } from '../../contract/apps/apps.ts';
import { createDeployment, getDeployment } from '../../contract/deployments/deployments.ts';
import { newAccount, type OpenedAccount, waitFor } from './harness.ts';

/** Opens an account that deploys many applications, and whose requests about them no rate limit stops. */
export const newDeployingAccount = () => newAccount({ appLimit: 100, keyCount: 24 });

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
    async create(name: string, fields: Record<string, unknown> = {}) {
      const repoUrl = `https://git.localhost/${name}.git`;
      const body = { name, framework: 'NODE' as const, repoUrl, deployNow: false, ...fields };
      const { body: made, error } = await account().call(createApp, { body });
      if (error) throw new Error(`creating ${name}: ${error.message}`);
      return made.data;
    },
  };
}

import { createApp } from '../../contract/apps/apps.ts';
import { createDeployment, getDeployment } from '../../contract/deployments/deployments.ts';
import { type Opened, until } from './harness.ts';

interface Fields {
  buildCommand?: string;
  nodeVersion?: '20' | '22' | '24';
}

/** Makes applications of an account's and deploys them. */
export function deployer(account: () => Opened) {
  const begin = async (id: string) => (await account().call(createDeployment, { params: { id } })).body.data;
  /** Until it has ended. */
  const follow = (id: string) =>
    until(async () => {
      const { data } = (await account().call(getDeployment, { params: { id } })).body;
      return data.finishedAt !== null && data;
    });
  return {
    begin,
    follow,
    deploy: async (id: string) => await follow((await begin(id)).id),
    /** One whose repository has its name. */
    async create(name: string, fields: Fields = {}) {
      const repoUrl = `https://git.localhost/${name}.git`;
      const body = { name, framework: 'NODE' as const, repoUrl, deployNow: false, ...fields };
      return (await account().call(createApp, { body })).body.data;
    },
  };
}

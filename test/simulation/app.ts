import type { App } from '../../table/entities/apps.ts';

/** Returns an application for a simulation: a server without a repository that runs, where the fields say nothing else. */
export const simulatedApp = (fields: Pick<App, 'accountId' | 'id'> & Partial<App>): App => ({
  name: 'App',
  slug: fields.id,
  framework: 'NODE',
  nodeVersion: '22',
  repoUrl: null,
  branch: 'main',
  installCommand: 'npm ci',
  buildCommand: null,
  startFile: 'server.js',
  primaryDomain: fields.id,
  hosts: [],
  status: 'RUNNING',
  autoDeploy: false,
  createdAt: '',
  updatedAt: '',
  ...fields,
});

import * as z from 'zod/mini';
import { FRAMEWORKS, NODE_VERSIONS } from '../enums.ts';
import { single } from '../envelope.ts';
import { route } from '../route.ts';
import { Branch, RepositoryUrl } from './repositories.ts';

/** The maximum number of branches in a response. The dashboard's form accepts other names too. */
export const MAX_LISTED_BRANCHES = 200;

const RepositoryInspection = () =>
  z.object({
    /** The reason why the repository cannot be read; null if it can. */
    problem: z.nullable(z.string()),
    defaultBranch: z.nullable(z.string()),
    /** The default branch, then the others by name: at most {@link MAX_LISTED_BRANCHES}. */
    branches: z.array(z.string()),
    hasMoreBranches: z.boolean(),
    /** The inspected branch; null if the repository has no branches. */
    branch: z.nullable(z.string()),
    /** Settings detected in that branch; null if the host does not serve individual files, or there is no package.json. */
    detected: z.nullable(
      z.object({
        /** The name in package.json. */
        name: z.nullable(z.string()),
        framework: z.nullable(z.string()),
        /** The value for an application's `framework`. */
        setting: z.enum(FRAMEWORKS),
        packageManager: z.nullable(z.string()),
        nodeVersion: z.enum(NODE_VERSIONS),
        buildCommand: z.nullable(z.string()),
        start: z.nullable(z.string()),
      }),
    ),
    /** Notes for the application's owner, in full sentences. */
    notes: z.array(z.string()),
  });

export const inspectRepository = /* @__PURE__ */ route({
  id: 'inspectRepository',
  method: 'GET',
  path: '/dashboard/v1/repositories',
  access: 'login',
  right: 'develop',
  summary: 'Read the branches of a public repository and the settings that a build would detect in it',
  tag: 'Applications',
  query: () =>
    z.object({
      url: RepositoryUrl(),
      branch: z.optional(Branch()),
      rootDirectory: z.optional(z.string().check(z.maxLength(255))),
    }),
  response: () => single(RepositoryInspection()),
  uses: ['repositories'],
  perMinute: 20,
});

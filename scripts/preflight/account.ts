import { DefaultStackSynthesizer } from 'aws-cdk-lib/core';
import * as z from 'zod';
import { type Check, check } from './check.ts';
import type { Plan } from './plan.ts';

/** Minimum version of the bootstrap stack for CDK's default synthesizer (aws-cdk-lib, default-synthesizer.js). */
const MIN_BOOTSTRAP_VERSION = 6;

const Identity = z.object({ Account: z.string(), Arn: z.string() });

/**
 * Checks that the credentials belong to an expected account.
 * @param account the account in the settings; if undefined, any account is accepted
 * @param cells the accounts of hosting cells, which are checked with their own credentials
 */
export const checkCaller = (account: string | undefined, cells: readonly string[]): Check =>
  check({
    what: 'Credentials',
    needed: `a user or role${account ? ` of the account ${[account, ...cells].join(' or ')}` : ''}, not the root user`,
    // A region that every account can use. The platform's region may not be enabled yet.
    find: async ({ query }) => Identity.parse(await query('sts', 'us-east-1', 'GetCallerIdentity')),
    assess: ({ Account, Arn }) => {
      if (account && ![account, ...cells].includes(Account)) {
        return { ok: false, found: Arn, remedy: [`Use credentials of ${account}, or correct -c account=${account}.`] };
      }
      // The root user cannot assume the roles with which cdk deploys.
      const isRoot = Arn.endsWith(':root');
      return {
        ok: !isRoot,
        found: Arn,
        remedy: ['Create a user in IAM Identity Center with AdministratorAccess and sign in: aws sso login'],
      };
    },
    remedy: ['Sign in (aws sso login), or set AWS_PROFILE to a profile that works with: aws sts get-caller-identity'],
  });

/** Returns the id of the caller's account. */
export const accountOf = (arn: string): string => arn.split(':')[4] ?? '';

/**
 * Returns all regions that the account must be able to use, including those without a stack. A cell's roles copy releases from the
 * platform's region and decrypt with its key, which AWS refuses unless that region is enabled in the cell's account
 * (https://docs.aws.amazon.com/AmazonS3/latest/API/API_CopyObject.html).
 */
export const regionsOf = ({ config, regions, isHome }: Plan): string[] => [
  ...new Set([...regions, isHome ? config.databaseRegion : config.region]),
];

const OptStatus = z.object({ RegionOptStatus: z.string() });

/** Checks that a region is enabled. Accounts must enable regions launched after March 2019, such as af-south-1, before they can use them. */
export const checkRegion = (region: string): Check =>
  check({
    what: `Region ${region}`,
    needed: 'enabled for the account',
    find: async ({ rest }) =>
      OptStatus.parse(
        await rest('account', region, {
          operation: 'GetRegionOptStatus',
          path: '/getRegionOptStatus',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify({ RegionName: region }),
        }),
      ).RegionOptStatus,
    assess: (status) => ({
      ok: ['ENABLED', 'ENABLED_BY_DEFAULT'].includes(status),
      found: status,
      remedy:
        status === 'ENABLING'
          ? ['Wait: enabling takes minutes to hours.']
          : [
              `aws account enable-region --region us-east-1 --region-name ${region}`,
              'Enabling takes minutes to hours.',
            ],
    }),
    remedy: [`Is ${region} a region? aws account list-regions --region us-east-1`],
  });

const Parameter = z.object({ Parameter: z.object({ Value: z.coerce.number() }) });

function checkBootstrap(region: string, account: string): Check {
  const bootstrap = [`npx cdk bootstrap aws://${account}/${region}`];
  return check({
    what: `CDK bootstrap in ${region}`,
    needed: `version ${MIN_BOOTSTRAP_VERSION} or later`,
    region,
    find: async ({ json }) => {
      const Name = `/cdk-bootstrap/${DefaultStackSynthesizer.DEFAULT_QUALIFIER}/version`;
      return Parameter.parse(await json('ssm', region, 'GetParameter', { Name })).Parameter.Value;
    },
    assess: (version) => ({ ok: version >= MIN_BOOTSTRAP_VERSION, found: `version ${version}`, remedy: bootstrap }),
    remedy: bootstrap,
  });
}

const Assumed = z.object({ AssumedRoleUser: z.object({ Arn: z.string() }) });

function checkDeployRole(region: string, account: string): Check {
  const role = `arn:aws:iam::${account}:role/cdk-${DefaultStackSynthesizer.DEFAULT_QUALIFIER}-deploy-role-${account}-${region}`;
  return check({
    what: `Deployment role of CDK in ${region}`,
    needed: 'the caller may assume it',
    region,
    find: async ({ query }) =>
      Assumed.parse(
        await query('sts', region, 'AssumeRole', {
          RoleArn: role,
          RoleSessionName: 'preflight',
          DurationSeconds: '900',
        }),
      ).AssumedRoleUser.Arn,
    assess: (arn) => ({ ok: true, found: `assumed as ${arn.split('/').slice(1).join('/')}` }),
    remedy: [`Bootstrap ${region} first; then allow the caller sts:AssumeRole on ${role}`],
  });
}

/** Checks the prerequisites of cdk in each region with stacks. */
export const checkBootstraps = ({ account, regions }: Plan): Check[] =>
  regions.flatMap((region) => [checkBootstrap(region, account), checkDeployRole(region, account)]);

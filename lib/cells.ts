import type { CellSettings, Config } from './config.ts';
import { type Names, namesOf } from './names.ts';
import type { Platform } from './stacks/platform-stack.ts';

/** Hosting cells outside the platform's own account (docs/decisions/0061-hosting-cells.md). */

/** A cell with its own names: those of an installation whose prefix is the platform's and the cell's id. */
export interface CellNames {
  id: string;
  config: Config;
  names: Names;
}

/** Returns the configuration and names of a cell. */
function cellNames(config: Config, { id, account, region, appsDomain, hostedZoneId }: CellSettings): CellNames {
  const place = { account, region: region ?? config.region, prefix: `${config.prefix}-${id}` };
  // The distributions name an origin that they never use, and the certificate has no other name.
  const domains = { domain: appsDomain, appsDomain, hostedZoneId, appsHostedZoneId: hostedZoneId };
  const own = { ...config, ...place, ...domains };
  return { id, config: own, names: namesOf(own) };
}

/** Returns all cells but the home cell. */
export const cellsOf = (config: Config): CellNames[] => config.cells.map((cell) => cellNames(config, cell));

/** Returns the platform as the stacks of a cell see it. */
export const cellPlatform = (platform: Platform, { id, config, names }: CellNames): Platform => ({
  ...platform,
  config,
  names,
  stackPrefix: `${platform.config.prefix}-cell-${id}`,
});

/** Returns the name of the role with which a function works in a cell. */
export const cellRoleName = (cellId: string, functionName: string): string => `${cellId}-${functionName}`;

/** Returns the ARN of that role. */
export const cellRoleArn = ({ id, config }: CellNames, functionName: string): string =>
  `arn:aws:iam::${config.account}:role/${cellRoleName(id, functionName)}`;

/** Identifies the platform to the roles of its cells, together with the account. */
export const externalIdOf = ({ prefix, region }: Config): string => `${prefix}-${region}`;

const RESERVED_IDS = ['home', 'app'];

/** Returns the reasons why cells cannot be used as they are, each naming the setting to change. */
export function findCellProblems({
  account,
  appsDomain,
  cells,
}: {
  account?: string | undefined;
  appsDomain: string;
  cells: readonly CellSettings[];
}): string[] {
  const problems: string[] = [];
  if (cells.length > 0 && account === undefined)
    problems.push('account: is required with cells, whose roles name the account that may use them');
  const domains = [appsDomain];
  const ids = new Set(RESERVED_IDS);
  for (const cell of cells) {
    if (ids.has(cell.id)) problems.push(`cells: the id ${cell.id} is taken or reserved`);
    ids.add(cell.id);
    // CloudFront refuses a name that overlaps with a wildcard in another account
    // (https://docs.aws.amazon.com/AmazonCloudFront/latest/DeveloperGuide/alternate-domain-names-wildcard.html).
    for (const other of domains)
      if (`.${cell.appsDomain}`.endsWith(`.${other}`) || `.${other}`.endsWith(`.${cell.appsDomain}`))
        problems.push(`cells: the domain ${cell.appsDomain} of ${cell.id} overlaps with ${other}`);
    domains.push(cell.appsDomain);
  }
  return problems;
}

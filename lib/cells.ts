import type { CellSettings, Config } from './config.ts';
import { type Names, namesOf } from './names.ts';
import type { Platform } from './stacks/platform-stack.ts';

/** Hosting cells in other accounts or regions than the platform (docs/decisions/0061-hosting-cells.md). */

/** A cell with its own names, whose prefix consists of the platform's prefix and the cell's id. */
export interface CellNames {
  id: string;
  config: Config;
  names: Names;
}

/** Returns the configuration and names of a cell. */
function cellNames(config: Config, { id, account, region, appsDomain, hostedZoneId }: CellSettings): CellNames {
  const location = { account, region: region ?? config.region, prefix: `${config.prefix}-${id}` };
  // A cell has only one domain. The distributions must name an origin, which they never use.
  const domains = { domain: appsDomain, appsDomain, hostedZoneId, appsHostedZoneId: hostedZoneId };
  const cellConfig = { ...config, ...location, ...domains };
  return { id, config: cellConfig, names: namesOf(cellConfig) };
}

/** Returns all cells but the home cell. */
export const cellsOf = (config: Config): CellNames[] => config.cells.map((cell) => cellNames(config, cell));

/** Returns the platform with the configuration and names of a cell, for the cell's stacks. */
export const cellPlatform = (platform: Platform, { id, config, names }: CellNames): Platform => ({
  ...platform,
  config,
  names,
  stackPrefix: `${platform.config.prefix}-cell-${id}`,
});

/** Returns the name of the role that a function assumes in a cell. */
export const cellRoleName = (cellId: string, functionName: string): string => `${cellId}-${functionName}`;

/** Returns the ARN of that role. */
export const cellRoleArn = ({ id, config }: CellNames, functionName: string): string =>
  `arn:aws:iam::${config.account}:role/${cellRoleName(id, functionName)}`;

/** Returns the external id that, together with the account, identifies the platform to the roles of its cells. */
export const externalIdOf = ({ prefix, region }: Config): string => `${prefix}-${region}`;

const RESERVED_IDS = ['home', 'app'];

/** Returns the problems of the cells' settings, each naming the setting to change. */
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

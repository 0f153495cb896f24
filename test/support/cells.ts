import type { CellProviders, InCell } from '../../domain/apps/cells.ts';
import type { CellResources } from '../../table/entities/cells.ts';

/** Resources of a cell that no test reaches. */
export const CELL_RESOURCES: CellResources = {
  account: '222222222222',
  region: 'eu-west-1',
  rolePrefix: 'r',
  externalId: 'e',
  appsDomain: 'b.example',
  functionPrefix: 'p',
  functionArnPrefix: 'a',
  functionRoleArn: 'f',
  adapterLayerArn: 'l',
  codeBucket: 'c',
  routesArn: 'k',
  tenantDistributionId: 'd',
  connectionGroupId: 'g',
  edgeEndpoint: 'x',
};

/** Returns providers, or the parts of them that a test needs, as those of every cell. */
export const inEveryCell = (providers: { [K in keyof CellProviders]?: unknown }): InCell<keyof CellProviders> => ({
  cellOf: async () => providers as CellProviders,
});

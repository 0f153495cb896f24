import type { SettingsInput } from '../../lib/config.ts';
import { ACCOUNT, BUILD_REGION, DOMAIN, type LocalCell, REGION } from '../addresses.ts';

/** The settings of the local run's stacks, including the company on its invoices. */
export const LOCAL_SETTINGS: SettingsInput = {
  stage: 'local',
  domain: DOMAIN,
  region: REGION,
  buildRegion: BUILD_REGION,
  account: ACCOUNT,
  mailFrom: 'no-reply@hosting.localhost',
  sellerName: 'Example Hosting (Pty) Ltd',
  sellerAddress: '1 Example Street, Cape Town, 8001, South Africa',
  sellerVatNumber: '4000000000',
};

/**
 * Returns the settings of a run. For a restored table, they contain its name and the ARN of its stream, whose label is always `local`.
 * @param cells the hosting cells other than the home cell
 */
export const localSettings = (table: string | undefined, cells: readonly LocalCell[] = []): SettingsInput => ({
  ...LOCAL_SETTINGS,
  ...(cells.length > 0 ? { cells: [...cells] } : {}),
  ...(table === undefined
    ? {}
    : { table, tableStream: `arn:aws:dynamodb:${REGION}:${ACCOUNT}:table/${table}/stream/local` }),
});

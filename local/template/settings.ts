import type { SettingsInput } from '../../lib/config.ts';
import { ACCOUNT, BUILD_REGION, DOMAIN, type LocalCell, REGION } from '../addresses.ts';

/** The settings of the stacks of a local run, with the company on its invoices. */
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
 * Returns the settings of a run: of one on a restored table, its name and the ARN of its stream, whose label is the same for all.
 * @param cells the hosting cells beside the home cell
 */
export const localSettings = (table: string | undefined, cells: readonly LocalCell[] = []): SettingsInput => ({
  ...LOCAL_SETTINGS,
  ...(cells.length > 0 ? { cells: [...cells] } : {}),
  ...(table === undefined
    ? {}
    : { table, tableStream: `arn:aws:dynamodb:${REGION}:${ACCOUNT}:table/${table}/stream/local` }),
});

import { CloudFrontKeyValueStoreClient } from '@aws-sdk/client-cloudfront-keyvaluestore';
import { DSQLClient } from '@aws-sdk/client-dsql';
import { LambdaClient } from '@aws-sdk/client-lambda';
import { Route53Client } from '@aws-sdk/client-route-53';
import { sdkTimeouts } from '../../providers/aws-timeouts.ts';
import { accountMeasures, cellMeasures } from '../../providers/quotas/measures.ts';
import { createServiceQuotas } from '../../providers/quotas/service-quotas.ts';
import { callAws } from '../aws/client.ts';
import { getJson } from '../aws/rest.ts';
import type { RemoteCell } from '../cells.ts';
import { config, required } from '../config.ts';
import { certificateCalls } from './edge-certificates.ts';

const databaseRegion = required('DATABASE_REGION');
const mailRegion = config.MAIL_REGION;

/** Service Quotas in the account of a cell. */
const quotasOf = (cell?: RemoteCell) =>
  createServiceQuotas((operation, input, options) =>
    callAws('servicequotas', operation, input, { ...cell?.access, ...options }),
  );

/** The quotas of the platform's own account. */
export const accountQuotas = accountMeasures({
  route53: new Route53Client(sdkTimeouts()),
  dsql: new DSQLClient({ ...sdkTimeouts(), region: databaseRegion }),
  databaseRegion,
  registrar: (operation, input) => callAws('route53domains', operation, input),
  quotas: quotasOf(),
  mail: mailRegion
    ? { region: mailRegion, read: (path) => getJson({ service: 'ses', host: 'email', region: mailRegion }, path) }
    : undefined,
});

/** The quotas of a cell's account and region. */
export const quotaMeasures = (cell?: RemoteCell) =>
  cellMeasures({
    lambda: new LambdaClient({ ...sdkTimeouts(), ...cell?.access }),
    region: cell?.region ?? config.AWS_REGION,
    store: new CloudFrontKeyValueStoreClient({ ...sdkTimeouts(), ...cell?.access }),
    storeArn: cell?.routesArn ?? required('APP_ROUTES_ARN'),
    isHome: cell === undefined,
    certificates: certificateCalls(cell),
    quotas: quotasOf(cell),
  });

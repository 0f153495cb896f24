import { SFNClient } from '@aws-sdk/client-sfn';
import { sdkTimeouts } from '../../providers/aws-timeouts.ts';
import { createExecutions } from '../../providers/workflows/executions.ts';
import { originFields } from '../../table/correlation.ts';
import { required } from '../config.ts';

/** The executions of deployments. */
export const deployments = createExecutions(
  new SFNClient(sdkTimeouts()),
  required('DEPLOYMENT_STATE_MACHINE_ARN'),
  originFields,
);

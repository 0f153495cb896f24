import { LambdaClient } from '@aws-sdk/client-lambda';
import { createCapacityMeter } from '../../providers/app-host/cell-capacity.ts';
import { sdkTimeouts } from '../../providers/aws-timeouts.ts';
import type { RemoteCell } from '../cells.ts';

export const capacityMeter = (cell?: RemoteCell) =>
  createCapacityMeter(new LambdaClient({ ...sdkTimeouts(), ...cell?.access }));

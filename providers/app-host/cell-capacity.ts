import { GetAccountSettingsCommand, type LambdaClient } from '@aws-sdk/client-lambda';

/** Free capacity of the AWS account and region that applications run in. */
export interface CellCapacity {
  /** Concurrent requests that can still be reserved for applications. */
  concurrency: number;
  /** Bytes of code that can still be stored. */
  codeBytes: number;
}

export interface CapacityMeter {
  measure(): Promise<CellCapacity>;
}

/** Concurrency that AWS sets aside for functions without a reservation (https://docs.aws.amazon.com/lambda/latest/dg/configuration-concurrency.html). */
const UNRESERVABLE = 100;

/** Reads Lambda's account settings, which count all functions of the account and not only applications. */
export const createCapacityMeter = (client: Pick<LambdaClient, 'send'>): CapacityMeter => ({
  async measure() {
    const { AccountLimit = {}, AccountUsage = {} } = await client.send(new GetAccountSettingsCommand({}));
    const { UnreservedConcurrentExecutions = 0, TotalCodeSize: maxCodeBytes = 0 } = AccountLimit;
    return {
      concurrency: Math.max(0, UnreservedConcurrentExecutions - UNRESERVABLE),
      codeBytes: Math.max(0, maxCodeBytes - (AccountUsage.TotalCodeSize ?? 0)),
    };
  },
});

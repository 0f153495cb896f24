import { GetAccountSettingsCommand, type LambdaClient } from '@aws-sdk/client-lambda';

/** Room of the account and region that applications run in. */
export interface CellRoom {
  /** Requests at once that can still be reserved for applications. */
  concurrency: number;
  /** Bytes of code that can still be stored. */
  codeBytes: number;
}

export interface CellRooms {
  measure(): Promise<CellRoom>;
}

/** Concurrency that AWS keeps for functions without a reservation (https://docs.aws.amazon.com/lambda/latest/dg/configuration-concurrency.html). */
const UNRESERVABLE = 100;

/** Lambda: what its account settings say, which count everything in the account and not only applications. */
export const createCellRooms = (client: Pick<LambdaClient, 'send'>): CellRooms => ({
  async measure() {
    const { AccountLimit = {}, AccountUsage = {} } = await client.send(new GetAccountSettingsCommand({}));
    const { UnreservedConcurrentExecutions = 0, TotalCodeSize: most = 0 } = AccountLimit;
    return {
      concurrency: Math.max(0, UnreservedConcurrentExecutions - UNRESERVABLE),
      codeBytes: Math.max(0, most - (AccountUsage.TotalCodeSize ?? 0)),
    };
  },
});

import { isAwsError } from '../aws-errors.ts';

/** The name servers take no more requests at the moment, or are not done with an earlier one: it says nothing of this one. */
export class NameServersBusy extends Error {
  override readonly name = 'NameServersBusy';
}

const BUSY = ['Throttling', 'ThrottlingException', 'PriorRequestNotComplete'];

/** Returns a method that throws {@link NameServersBusy} where Route 53 throttles it. */
export const namingBusy =
  <A extends unknown[], R>(method: (...input: A) => Promise<R>) =>
  async (...input: A): Promise<R> => {
    try {
      return await method(...input);
    } catch (error) {
      throw isAwsError(error, ...BUSY) ? new NameServersBusy(error.message, { cause: error }) : error;
    }
  };

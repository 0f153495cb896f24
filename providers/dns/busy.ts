import { isAwsError } from '../aws-errors.ts';

/** The DNS service throttles requests, or is still processing an earlier one. The request itself may be valid. */
export class NameServersBusy extends Error {
  override readonly name = 'NameServersBusy';
}

const BUSY = ['Throttling', 'ThrottlingException', 'PriorRequestNotComplete'];

/** Wraps a method so that it throws {@link NameServersBusy} if Route 53 throttles it. */
export const throwingBusy =
  <A extends unknown[], R>(method: (...input: A) => Promise<R>) =>
  async (...input: A): Promise<R> => {
    try {
      return await method(...input);
    } catch (error) {
      throw isAwsError(error, ...BUSY) ? new NameServersBusy(error.message, { cause: error }) : error;
    }
  };

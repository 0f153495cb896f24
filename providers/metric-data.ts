/** Reads metrics from Amazon CloudWatch. */

interface Results {
  MetricDataResults: { Id: string; StatusCode?: string; Timestamps: number[]; Values: number[] }[];
  NextToken?: string;
}

/** Calls an operation of CloudWatch. */
export type CallMetrics = <Output>(operation: string, input: object) => Promise<Output>;

/** A value of a query, with the time in seconds at which its period begins. */
export interface DataPoint {
  at: number;
  value: number;
}

/**
 * Reads all pages of `GetMetricData`. Returns the values of each query by its id, in the order of `ScanBy`; a query without values may be
 * missing. Throws if CloudWatch could not read one of the metrics: without an error, its missing values would look like zeros
 * (https://docs.aws.amazon.com/AmazonCloudWatch/latest/APIReference/API_MetricDataResult.html).
 */
export async function readMetricData(call: CallMetrics, input: object): Promise<Map<string, DataPoint[]>> {
  const found = new Map<string, DataPoint[]>();
  let NextToken: string | undefined;
  do {
    const results: Results = await call('GetMetricData', {
      ...input,
      ...(NextToken === undefined ? {} : { NextToken }),
    });
    for (const { Id, StatusCode, Timestamps, Values } of results.MetricDataResults) {
      if (StatusCode === 'InternalError' || StatusCode === 'Forbidden')
        throw new Error(`CloudWatch could not read ${Id}: ${StatusCode}`);
      const points = Values.map((value, index) => ({ at: Timestamps[index] ?? 0, value }));
      found.set(Id, [...(found.get(Id) ?? []), ...points]);
    }
    NextToken = results.NextToken;
  } while (NextToken !== undefined);
  return found;
}

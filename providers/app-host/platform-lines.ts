import { REQUEST_MARK } from './requests.ts';

/**
 * The lines that Lambda prints between those of an application, by their beginning
 * (https://docs.aws.amazon.com/lambda/latest/dg/monitoring-cloudwatchlogs-view.html, and for the start of an instance
 * https://docs.aws.amazon.com/lambda/latest/dg/lambda-runtime-environment.html). An application's own line may begin with the same word.
 */
const LAMBDA =
  /^(?:(?:START|END|REPORT)\s+RequestId: |INIT_START\s+Runtime Version: |INIT_REPORT\s+Init Duration: |(?:EXTENSION|LOGS)\s+Name: )/;

/** Returns true for a line that the application did not print: one of Lambda, or that of a request (requests.ts). */
export const isPlatformLine = (line: string): boolean => LAMBDA.test(line) || line.startsWith(`${REQUEST_MARK}{`);

interface Polling {
  comment: string;
  /** ARN of the function that is called until it answers `{done: true}`. */
  functionArn: string;
  retry: object;
  /** The wait between two calls: a number of seconds, or where the function's answer has it. */
  wait: { Seconds: number } | { SecondsPath: `$.look.${string}` };
  timeoutSeconds: number;
}

/**
 * Returns a machine that calls a function until there is nothing left to do. The local run resumes an execution of an earlier version by
 * the name of its state and with what it holds, so neither may change.
 */
export const pollMachine = ({ comment, functionArn, retry, wait, timeoutSeconds }: Polling) => ({
  Comment: comment,
  StartAt: 'Look',
  TimeoutSeconds: timeoutSeconds,
  States: {
    Look: { Type: 'Task', Resource: functionArn, ResultPath: '$.look', Retry: [retry], Next: 'IsDone' },
    IsDone: {
      Type: 'Choice',
      Choices: [{ Variable: '$.look.done', BooleanEquals: true, Next: 'Done' }],
      Default: 'Wait',
    },
    Wait: { Type: 'Wait', ...wait, Next: 'Look' },
    Done: { Type: 'Succeed' },
  },
});

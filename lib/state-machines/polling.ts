interface Polling {
  comment: string;
  /** ARN of the function, which is called until it returns `{done: true}`. */
  functionArn: string;
  retry: object;
  /** The wait between two calls: a number of seconds, or the path of that number in the function's result. */
  wait: { Seconds: number } | { SecondsPath: `$.look.${string}` };
  timeoutSeconds: number;
}

/**
 * Returns a machine that calls a function until there is nothing left to do. The names of the states and the content of the state must not
 * change, because the local run resumes executions of earlier versions with them.
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

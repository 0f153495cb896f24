/** An error response of DynamoDB: its type without the namespace, its message, and the additional fields of some types. */
export class DynamoDbError extends Error {
  readonly fields: object;
  readonly status: number;
  constructor(name: string, message: string, fields: object = {}, status = 400) {
    super(message);
    this.name = name;
    this.fields = fields;
    this.status = status;
  }
}

export const invalid = (message: string): DynamoDbError => new DynamoDbError('ValidationException', message);

/** Returns the error for an invalid parameter value. */
export const invalidParameter = (message: string): DynamoDbError =>
  invalid(`One or more parameter values were invalid: ${message}`);

export const notFound = (message = 'Requested resource not found'): DynamoDbError =>
  new DynamoDbError('ResourceNotFoundException', message);

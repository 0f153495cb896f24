/** An error response of DynamoDB: its type without a namespace, its message, and the fields that some types carry. */
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

/** A value that a request may not contain. */
export const invalidParameter = (message: string): DynamoDbError =>
  invalid(`One or more parameter values were invalid: ${message}`);

export const notFound = (message = 'Requested resource not found'): DynamoDbError =>
  new DynamoDbError('ResourceNotFoundException', message);

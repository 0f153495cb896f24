import {
  deviations,
  errorNamed,
  hasBit,
  type ModeledService,
  membersOf,
  operationNamed,
  PAYLOAD,
  RESPONSE_CODE,
  type RecordedAnswer,
  resolve,
  type Schema,
  STRUCTURE,
  type Traits,
  trait,
  xml,
} from './wire-model.ts';

/** Checks what the emulators answer against the models of the services: status, headers, members, types, errors. */

const REST = ['cloudfront-keyvaluestore', 'cloudfront', 'dsql', 'lambda', 'route53', 's3'];

/** Returns the content of a document: the members of its root. */
function contentOf(body: Buffer, isXml: boolean): object {
  if (body.length === 0) return {};
  const document: unknown = isXml ? Object.values(xml.parse(body))[0] : JSON.parse(body.toString('utf8'));
  return typeof document === 'object' && document !== null ? document : {};
}

/** Returns the service's name for an error. */
function errorOf({ headers, body }: RecordedAnswer, isXml: boolean): string {
  if (isXml) return /<Code>([^<]+)</.exec(body.toString('utf8'))?.[1] ?? '';
  const { __type = headers['x-amzn-errortype'] ?? '' }: { __type?: string } = contentOf(body, false);
  return __type.split('#').at(-1) ?? '';
}

function checkError(service: ModeledService, operation: string, answer: RecordedAnswer, isXml: boolean): string[] {
  const name = errorOf(answer, isXml);
  const known = errorNamed(service, name);
  if (!known) return [`${operation}: ${service} has no error ${name}`];
  const { httpError = answer.status } = known;
  return !REST.includes(service) || answer.status === httpError
    ? []
    : [`${operation}: ${name} has the status ${httpError}, not ${answer.status}`];
}

/** Returns how an answer to an operation deviates from the model. */
export function checkAnswer(service: ModeledService, operation: string, answer: RecordedAnswer): string[] {
  const { status, headers, body } = answer;
  const isXml = body.toString('utf8', 0, 1) === '<';
  if (status >= 300) return checkError(service, operation, answer, isXml);
  const [, , , traits, , outputSchema] = operationNamed(service, operation) ?? [];
  const output = resolve(outputSchema as Schema).schema;
  const { http } = traits as { http?: [method: string, path: string, status: number] };
  // An operation that answers nothing has the schema "unit".
  const members = Array.isArray(output) ? membersOf(output) : [];
  const isFree = members.some((member) => hasBit(member.traits, RESPONSE_CODE));
  const isRight = isFree || status === (http?.[2] ?? 200);
  const wrongStatus = isRight ? [] : [`${operation} has the status ${http?.[2]}, not ${status}`];
  const boundTo = (of: Traits) => trait(of, 'httpHeader')?.toLowerCase();
  const isPayload = (of: Traits) => hasBit(of, PAYLOAD) || trait(of, 'httpPayload') !== undefined;
  const payload = members.find((member) => isPayload(member.traits));
  const missing = members.filter(
    (member) => member.required && headers[boundTo(member.traits) ?? ''] === undefined && boundTo(member.traits),
  );
  const inBody = members.filter((member) => !boundTo(member.traits) && !hasBit(member.traits, RESPONSE_CODE));
  const structure: Schema = [
    STRUCTURE,
    '',
    operation,
    0,
    inBody.map(({ name }) => name),
    inBody.map((member) => [member.schema, member.traits]),
    inBody.filter(({ required }) => required).length,
  ];
  // Bytes of the customer's have no form.
  const isBytes = payload !== undefined && !(Array.isArray(payload.schema) && payload.schema[0] === STRUCTURE);
  const read = () => (service === 'sts' ? Object.values(contentOf(body, isXml))[0] : contentOf(body, isXml));
  const wrong = isBytes
    ? []
    : deviations(payload?.schema ?? structure, read(), `${operation}>`, isXml ? 'text' : 'json');
  return [...wrongStatus, ...missing.map(({ name }) => `${operation}> lacks the header of ${name}`), ...wrong];
}

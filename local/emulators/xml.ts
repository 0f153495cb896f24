import { XMLBuilder, XMLParser } from 'fast-xml-parser';
import * as z from 'zod';
import { type Emulator, ServiceError, serve, type WireRequest } from './wire.ts';

/** Elements that may repeat. They are always parsed as arrays. */
const LISTS: readonly string[] = ['Change', 'ResourceRecord', 'member'];

const parser = new XMLParser({
  ignoreDeclaration: true,
  // Values of DNS records remain strings, even if they look like numbers.
  parseTagValue: false,
  // Decodes character references (`&#x0A;`) too.
  htmlEntities: true,
  isArray: (name) => LISTS.includes(name),
});
const builder = new XMLBuilder({ ignoreAttributes: false, attributeNamePrefix: '@' });

/** Parses the content of a document's root element. Throws a ZodError if it does not match the schema. */
export function parseXml<T extends z.ZodType>(schema: T, document: Buffer): z.output<T> {
  const [content] = Object.values(parser.parse(document));
  return schema.parse(content);
}

export interface XmlResponse {
  status?: number;
  headers?: Record<string, string>;
  /** Name of the root element and its content: texts, numbers, booleans, arrays for lists, objects for elements. */
  document?: readonly [root: string, content: object];
}

const toServiceError = (error: unknown): ServiceError => {
  if (error instanceof ServiceError) return error;
  if (error instanceof z.ZodError) return new ServiceError('InvalidInput', z.prettifyError(error));
  throw error;
};

/** Serves one service of AWS's REST protocol in XML. Thrown ServiceErrors become the protocol's error documents. */
export function serveXml(
  port: number | undefined,
  namespace: string,
  route: (request: WireRequest) => XmlResponse,
): Promise<Emulator> {
  const build = ([root, content]: readonly [string, object]): Buffer => {
    const declaration = { '@version': '1.0', '@encoding': 'UTF-8' };
    return Buffer.from(builder.build({ '?xml': declaration, [root]: { '@xmlns': namespace, ...content } }));
  };
  return serve(port, 'text/xml', (request) => {
    try {
      const { document, ...rest } = route(request);
      return { ...rest, ...(document ? { body: build(document) } : {}) };
    } catch (error) {
      const { name: Code, message: Message, status } = toServiceError(error);
      const content = { Error: { Type: 'Sender', Code, Message }, RequestId: 'local' };
      return { status, body: build(['ErrorResponse', content]) };
    }
  });
}

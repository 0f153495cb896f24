/** The parts of a delivery that its request contains. */
export interface SentDelivery {
  id: string;
  eventId: string;
  type: string;
  body: string;
  attempts: readonly { id: string }[];
}

/** Quotes a text for a POSIX shell. */
const quote = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;

/** Headers that are the same in every attempt (specification, Delivery 1). The signature headers differ. */
const fixedHeaders = ({ type, eventId }: SentDelivery) => [
  'Content-Type: application/json',
  'User-Agent: Service-Webhooks/1.0',
  `X-Service-Event: ${type}`,
  `Webhook-Id: ${eventId}`,
];

/** Returns the request line and headers of a delivery's last attempt. The signature is omitted: the dashboard does not have the secret. */
export function requestHeaders(url: string, delivery: SentDelivery): string {
  const attempt = delivery.attempts.at(-1);
  const headers = [
    ...fixedHeaders(delivery),
    ...(attempt ? [`X-Service-Delivery: ${attempt.id}`] : []),
    'X-Service-Signature: t=<time>,v1=<HMAC-SHA256 of "<time>.<body>" with your signing secret>',
  ];
  return [`POST ${url}`, ...headers].join('\n');
}

/**
 * Returns a shell command that sends a delivery again, signed as the platform signs it, with the secret in the environment variable
 * `WEBHOOK_SECRET`.
 */
export function toCurl(url: string, delivery: SentDelivery): string {
  const headers = [...fixedHeaders(delivery), `X-Service-Delivery: ${delivery.attempts.at(-1)?.id ?? delivery.id}`];
  return [
    `BODY=${quote(delivery.body)}`,
    'TIME=$(date +%s)',
    `SIGNATURE=$(printf '%s.%s' "$TIME" "$BODY" | openssl dgst -sha256 -hmac "$WEBHOOK_SECRET" | sed 's/^.* //')`,
    `curl -X POST ${quote(url)} \\`,
    ...headers.map((header) => `  -H ${quote(header)} \\`),
    '  -H "X-Service-Signature: t=$TIME,v1=$SIGNATURE" \\',
    '  --data-binary "$BODY"',
  ].join('\n');
}

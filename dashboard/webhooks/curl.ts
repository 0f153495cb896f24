/** The parts of a delivery that are sent. */
export interface SentDelivery {
  id: string;
  eventId: string;
  type: string;
  body: string;
  attempts: readonly { id: string }[];
}

/** Quotes a text for a POSIX shell. */
const quote = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;

/** Headers that every attempt has (specification, Delivery 1). Those of the signature change with each. */
const fixedHeaders = ({ type, eventId }: SentDelivery) => [
  'Content-Type: application/json',
  'User-Agent: Service-Webhooks/1.0',
  `X-Service-Event: ${type}`,
  `Webhook-Id: ${eventId}`,
];

/** Returns the head of a delivery's last request. Secrets leave the platform once, so its signature is not shown. */
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
 * Returns a command that sends a delivery again from anywhere, signed as the platform signs: with the secret in the variable
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

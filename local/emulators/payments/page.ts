import { html } from '../../../contract/reference/html.ts';

/** Returns the payment page: the amount and one button. */
export function paymentPage({ amount, email, status }: { amount: number; email: string; status: string }): string {
  const button = status === 'success' ? '<p>This payment is complete.</p>' : '<button>Pay</button>';
  const failed = status === 'failed' ? '<p role="alert">The card was declined.</p>' : '';
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>Payment</title>
<style>body{font:16px/1.5 system-ui;max-width:24rem;margin:4rem auto;padding:0 1rem}button{font:inherit;padding:.5rem 2rem}</style>
<h1>R${(amount / 100).toFixed(2)}</h1>
<p>${html(email)}</p>
<p>A real installation opens the payment provider’s page instead of this one. No card is charged.</p>
${failed}
<form method="post">${button}</form>
</html>
`;
}

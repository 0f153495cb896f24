import { html } from '../../../contract/reference/html.ts';

/** Returns the control panel of an account: its mailboxes, and a form that creates one. */
export function controlPanel({ domain, mailboxes }: { domain: string; mailboxes: { email: string }[] }): string {
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>Control panel</title>
<style>body{font:16px/1.5 system-ui;max-width:32rem;margin:4rem auto;padding:0 1rem}button,input{font:inherit;padding:.5rem}</style>
<h1>${html(domain)}</h1>
<p>A real installation opens cPanel instead of this page.</p>
<h2>Mailboxes</h2>
<ul>${mailboxes.map(({ email }) => `<li>${html(email)}</li>`).join('')}</ul>
<form method="post">
<label>New mailbox <input name="name" required pattern="[a-z0-9._-]{1,64}"> @${html(domain)}</label>
<button>Create</button>
</form>
</html>
`;
}

import express from 'express';

const { PORT = '3000', GREETING = 'Hello from Express' } = process.env;
const app = express();

const escape = (text) => text.replace(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`);

app.get('/', (_request, response) => {
  response.send(`<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><title>hello-express</title></head>
<body>
<h1>${escape(GREETING)}</h1>
<p>Express on Node ${process.version}. Set the environment variable <code>GREETING</code> and deploy again to change this page.</p>
</body>
</html>
`);
});

app.get('/healthz', (_request, response) => {
  response.json({ ok: true, node: process.version });
});

app.listen(Number(PORT), () => console.log(`listening on ${PORT}`));

import { createServer } from 'node:http';

const { PORT = '3000', GREETING = 'Hello from Node.js' } = process.env;

createServer((request, response) => {
  if (request.url !== '/') {
    response.writeHead(404, { 'content-type': 'text/plain' }).end('not found\n');
    return;
  }
  response.writeHead(200, { 'content-type': 'text/plain; charset=utf-8' });
  response.end(`${GREETING} (Node ${process.version})\n`);
}).listen(Number(PORT), () => console.log(`listening on ${PORT}`));

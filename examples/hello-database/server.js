import { createServer } from 'node:http';
import pg from 'pg';

const { PORT = '3000', DATABASE_URL } = process.env;

// Aurora DSQL ends connections after an hour.
const pool = DATABASE_URL && new pg.Pool({ connectionString: DATABASE_URL, max: 5, maxLifetimeSeconds: 3000 });
pool?.on('error', (error) => console.error('an idle connection was lost:', error.message));

/** Attempts of a transaction that conflicts with others. */
const MAX_ATTEMPTS = 5;

const CREATE = 'CREATE TABLE IF NOT EXISTS visits (page text PRIMARY KEY, count int NOT NULL)';
const COUNT = `INSERT INTO visits (page, count) VALUES ($1, 1)
  ON CONFLICT (page) DO UPDATE SET count = visits.count + 1 RETURNING count`;

let created;
async function countVisit(page) {
  created ??= pool.query(CREATE).catch((error) => {
    created = undefined;
    throw error;
  });
  await created;
  for (let attempt = 1; ; attempt += 1) {
    try {
      return (await pool.query(COUNT, [page])).rows[0].count;
    } catch (error) {
      // DSQL reports a conflict when a transaction commits: 40001, serialization_failure.
      if (error.code !== '40001' || attempt === MAX_ATTEMPTS) throw error;
    }
  }
}

createServer(async ({ url }, response) => {
  const send = (status, text) =>
    response.writeHead(status, { 'content-type': 'text/plain; charset=utf-8' }).end(`${text}\n`);
  if (url === '/health') send(200, 'healthy');
  else if (url !== '/') send(404, 'not found');
  else if (!pool) send(200, 'This application has no database yet: create one, and deploy again.');
  else {
    try {
      send(200, `Visit ${await countVisit('/')}`);
    } catch (error) {
      console.error(error);
      send(500, 'The database does not answer.');
    }
  }
}).listen(Number(PORT), () => console.log(`listening on ${PORT}`));

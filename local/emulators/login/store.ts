import { DatabaseSync } from 'node:sqlite';
import type { Adapter, AdapterFactory, AdapterPayload } from 'oidc-provider';

const epoch = () => Math.floor(Date.now() / 1000);

/**
 * Opens the file of oidc-provider's sessions, codes and refresh tokens, so that users remain signed in after a restart.
 */
export function openLoginStore(file: string): { adapter: AdapterFactory; close(): void } {
  const database = new DatabaseSync(file);
  database.exec(`
    PRAGMA journal_mode = WAL;
    CREATE TABLE IF NOT EXISTS items (
      model TEXT, id TEXT, payload TEXT, expires INTEGER, uid TEXT, grantId TEXT, PRIMARY KEY (model, id));
    CREATE INDEX IF NOT EXISTS byGrant ON items (grantId);
    CREATE INDEX IF NOT EXISTS byUid ON items (model, uid);
  `);
  database.prepare('DELETE FROM items WHERE expires < ?').run(epoch());
  const put = database.prepare('INSERT OR REPLACE INTO items VALUES (?, ?, ?, ?, ?, ?)');
  const byId = database.prepare('SELECT payload FROM items WHERE model = ? AND id = ?');
  const byUid = database.prepare('SELECT payload FROM items WHERE model = ? AND uid = ?');
  const remove = database.prepare('DELETE FROM items WHERE model = ? AND id = ?');
  const removeGrant = database.prepare('DELETE FROM items WHERE grantId = ?');
  const consume = database.prepare(
    `UPDATE items SET payload = json_set(payload, '$.consumed', ?) WHERE model = ? AND id = ?`,
  );
  const read = (row: Record<string, unknown> | undefined): AdapterPayload | undefined =>
    row ? JSON.parse(String(row.payload)) : undefined;

  const adapter = (model: string): Adapter => ({
    upsert: async (id, payload, expiresIn) => {
      const expires = expiresIn === undefined ? null : epoch() + expiresIn;
      put.run(model, id, JSON.stringify(payload), expires, payload.uid ?? null, payload.grantId ?? null);
    },
    find: async (id) => read(byId.get(model, id)),
    findByUid: async (uid) => read(byUid.get(model, uid)),
    // The device flow is disabled.
    findByUserCode: async () => undefined,
    consume: async (id) => {
      consume.run(epoch(), model, id);
    },
    destroy: async (id) => {
      remove.run(model, id);
    },
    revokeByGrantId: async (grantId) => {
      removeGrant.run(grantId);
    },
  });
  return { adapter, close: () => database.close() };
}

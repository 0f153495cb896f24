import { PrismaPg } from '@prisma/adapter-pg';
import { PrismaClient } from './generated/client.ts';

// What an application does with Prisma; prisma.test.ts runs it, and reads what it prints.
const prisma = new PrismaClient({ adapter: new PrismaPg({ connectionString: process.env.DATABASE_URL }) });
const errorOf = (promise, field) =>
  promise.then(
    () => 'none',
    (error) => error[field],
  );

for (const statement of [
  'CREATE TABLE "Author" (id text PRIMARY KEY, name text NOT NULL UNIQUE)',
  'CREATE TABLE "Post" (id text PRIMARY KEY, title text NOT NULL, at timestamptz NOT NULL DEFAULT now(), "authorId" text NOT NULL REFERENCES "Author" (id))',
  'CREATE INDEX ASYNC "Post_authorId_idx" ON "Post" ("authorId")',
])
  await prisma.$executeRawUnsafe(statement);

const posts = { create: [{ title: 'one' }, { title: 'two' }] };
const { id } = await prisma.author.create({ data: { name: 'Ada', posts } });
const violation = await errorOf(prisma.author.create({ data: { name: 'Ada' } }), 'code');
const undone = await errorOf(
  prisma.$transaction(async (within) => {
    await within.post.updateMany({ where: { title: 'two' }, data: { title: 'three' } });
    throw new Error('undo');
  }),
  'message',
);
await prisma.$transaction([
  prisma.post.create({ data: { title: 'four', authorId: id } }),
  prisma.post.deleteMany({ where: { title: 'two' } }),
]);
const references = await errorOf(prisma.post.create({ data: { title: 'five', authorId: 'unknown' } }), 'code');
const include = { posts: { orderBy: { title: 'asc' }, select: { title: true } } };
const found = await prisma.author.findUniqueOrThrow({ where: { id }, include });
console.log(JSON.stringify({ violation, undone, references, posts: found.posts }));
await prisma.$disconnect();

// Rendered for each request, so that it shows the environment of the running release and not that of the build.
export const dynamic = 'force-dynamic';

export default function Page() {
  return (
    <main>
      <h1>{process.env.GREETING ?? 'Hello from Next.js'}</h1>
      <p>Next.js on Node {process.version}.</p>
    </main>
  );
}

/** @type {import('next').NextConfig} */
export default {
  // A server that runs without node_modules: what the platform hosts.
  output: 'standalone',
};

import { expect, test } from 'vitest';
import { isHashed } from './hashed-names.ts';

test.each([
  [
    'Vite',
    ['assets/index-BxY3k9Qz.js', 'assets/index-legacy-BxY3k9Qz.js', 'assets/logo-C3kd_9Zx.png', 'app-BxY3k9Qz.js'],
  ],
  ['webpack', ['main.8f3a2b1c.js', 'js/main.8f3a2b1c9d0e4f5a6b7c.js.map', 'js/vendor.8f3a2b1c.js.LICENSE.txt']],
  ['Create React App', ['static/css/main.a1b2c3d4.chunk.css', 'static/media/logo.6ce24c58023cc2f8fd88.svg']],
  ['Parcel', ['index.8a8f9d3c.js', 'logo.8a8f9d3c.png']],
  ['Astro', ['_astro/hoisted.Ab12cd34.js', '_astro/photo.Ab12cd34.webp', 'docs/_astro/page.Ab12cd34.css']],
  ['SvelteKit', ['_app/immutable/entry/start.DiwrgTda.js', '_app/immutable/assets/0.css']],
  ['Next.js', ['_next/static/chunks/main.js', '_next/static/b1/_buildManifest.js', 'docs/_next/static/media/a.woff2']],
  ['Angular', ['main-5INU2TSO.js', 'styles-2ZIH6J3K.css']],
])('recognizes the hashes of %s', (_tool, names) => {
  expect(names.filter((name) => !isHashed(name))).toEqual([]);
});

test('takes words, dates, sizes and versions for what they are', () => {
  const names = [
    'images/hero-image-01.jpg',
    'price-list-2024.pdf',
    'report-20240101.pdf',
    'bootstrap-icons-v1.css',
    'app.version2.js',
    'scroll-to-top-v2.js',
    'apple-touch-icon-180x180.png',
    'service-worker-v2.js',
    'minutes-12dec2024.pdf',
    'rss-feed2024.xml',
    'logo-face2face.png',
    'photo-20240101T120000.jpg',
    'assets/photo-iPhone15.jpg',
    'assets/img/photo-iPadPro2.jpg',
    'report-Q4FY2024.pdf',
    'hero-1920x1080.jpg',
    'jquery-3.7.1.min.js',
    'jquery.dataTables.min.js',
    'sitemap-index-0.xml',
    'CHANGELOG.txt',
    'a-8f3a2b1c.html',
    '_app/version.json',
    '_nuxt/builds/latest.json',
    'assets/icons-BOOTSTRAP5.css',
    '8f3a2b1c/index.js',
    '8f3a2b1c.js',
  ];
  expect(names.filter(isHashed)).toEqual([]);
});

test('revalidates names that could also be words: a hash without digits, or cut by its own hyphen', () => {
  const names = ['assets/index-DiwrgTda.js', 'assets/index-BxK1_a2-.css', 'main-ABCDEFGH.js'];
  expect(names.filter(isHashed)).toEqual([]);
});

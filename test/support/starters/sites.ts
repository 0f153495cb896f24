import type { PartialStarter, Starter } from './starter.ts';

/** A page that a bundler takes as its entry. */
const page = (title: string) => `<!doctype html><title>${title}</title><script type="module" src="./main.js"></script>`;
const MAIN = { 'main.js': `document.body.append('hello');\n` };

const STARTERS: readonly PartialStarter<'build'>[] = [
  {
    name: 'html',
    files: { 'index.html': '<!doctype html><title>html</title>', 'about.html': 'about' },
    framework: 'Node.js',
    build: null,
    start: 'files of the repository',
    answers: { path: '/about', text: 'about' },
  },
  {
    name: 'html-in-public',
    files: { 'package.json': { name: 'x' }, 'public/index.html': '<!doctype html><title>public</title>' },
    framework: 'Node.js',
    build: null,
    start: 'files of public',
    answers: { text: 'public' },
  },
  {
    name: 'vite',
    files: {
      'package.json': {
        type: 'module',
        devDependencies: { vite: '^7.0.0' },
        scripts: { dev: 'vite', build: 'vite build', preview: 'vite preview' },
      },
      'index.html': page('vite'),
      ...MAIN,
    },
    built: { 'dist/index.html': '' },
    framework: 'Vite',
    start: 'files of dist',
    answers: { text: '<title>vite' },
  },
  {
    name: 'vite-react-single-page',
    files: {
      'package.json': {
        type: 'module',
        dependencies: { react: '^19.0.0', 'react-dom': '^19.0.0' },
        devDependencies: { vite: '^7.0.0' },
        scripts: { build: 'vite build', start: 'vite' },
      },
      'index.html':
        '<!doctype html><title>react</title><div id="root"></div><script type="module" src="/main.jsx"></script>',
      'main.jsx': `import { createRoot } from 'react-dom/client';\nimport React from 'react';\ncreateRoot(document.getElementById('root')).render(React.createElement('p', null, 'hello'));\n`,
      'public/_redirects': '/* /index.html 200\n',
    },
    built: { 'dist/index.html': '', 'dist/_redirects': '' },
    framework: 'Vite',
    start: 'files of dist',
    answers: { path: '/some/route', text: '<title>react' },
  },
  {
    name: 'serve-single-page',
    files: {
      'package.json': {
        devDependencies: { vite: '^7.0.0' },
        scripts: { build: 'vite build --outDir build', start: 'serve -s build -l 3000' },
      },
      'index.html': page('serve'),
      ...MAIN,
    },
    built: { 'build/index.html': '' },
    framework: 'Vite',
    start: 'files of build',
    answers: { path: '/deep/link', text: '<title>serve' },
  },
  {
    name: 'parcel',
    files: {
      'package.json': {
        source: 'index.html',
        devDependencies: { parcel: '^2.15.0' },
        scripts: { start: 'parcel', build: 'parcel build' },
      },
      'index.html': page('parcel'),
      ...MAIN,
    },
    built: { 'dist/index.html': '' },
    framework: 'Parcel',
    start: 'files of dist',
    answers: { text: 'parcel' },
  },
  {
    name: 'webpack',
    files: {
      'package.json': {
        devDependencies: { webpack: '^5.99.0', 'webpack-cli': '^6.0.0', 'html-webpack-plugin': '^5.6.0' },
        scripts: { start: 'webpack serve', build: 'webpack --mode production' },
      },
      'webpack.config.js': `const Html = require('html-webpack-plugin');\nmodule.exports = { entry: './main.js', plugins: [new Html({ title: 'webpack' })] };\n`,
      ...MAIN,
    },
    built: { 'dist/index.html': '' },
    framework: 'webpack',
    start: 'files of dist',
    answers: { text: '<title>webpack' },
  },
  {
    name: 'astro',
    files: {
      'package.json': {
        type: 'module',
        dependencies: { astro: '^5.11.0' },
        scripts: { dev: 'astro dev', build: 'astro build', preview: 'astro preview' },
      },
      'src/pages/index.astro': '<html><body>astro</body></html>',
      'src/pages/404.astro': '<html><body>lost in astro</body></html>',
    },
    built: { 'dist/index.html': '' },
    framework: 'Astro',
    start: 'files of dist',
    answers: { path: '/nowhere', status: 404, text: 'lost in astro' },
  },
  {
    name: 'sveltekit-static',
    files: {
      'package.json': {
        type: 'module',
        devDependencies: {
          '@sveltejs/kit': '^2.22.0',
          '@sveltejs/adapter-static': '^3.0.0',
          '@sveltejs/vite-plugin-svelte': '^6.0.0',
          svelte: '^5.35.0',
          vite: '^7.0.0',
        },
        scripts: { build: 'vite build', preview: 'vite preview' },
      },
      'svelte.config.js': `import adapter from '@sveltejs/adapter-static';\nexport default { kit: { adapter: adapter() } };\n`,
      'vite.config.js': `import { sveltekit } from '@sveltejs/kit/vite';\nexport default { plugins: [sveltekit()] };\n`,
      'src/app.html': '<!doctype html><html><head>%sveltekit.head%</head><body>%sveltekit.body%</body></html>',
      'src/routes/+layout.js': 'export const prerender = true;\n',
      'src/routes/+page.svelte': '<p>sveltekit-static</p>',
    },
    built: { 'build/index.html': '' },
    framework: 'SvelteKit',
    start: 'files of build',
    answers: { text: 'sveltekit-static' },
  },
  {
    name: 'eleventy',
    files: { 'package.json': { devDependencies: { '@11ty/eleventy': '^3.1.0' } }, 'index.md': '# eleventy\n' },
    built: { '_site/index.html': '' },
    framework: 'Eleventy',
    build: 'npx @11ty/eleventy',
    start: 'files of _site',
    answers: { text: '<h1>eleventy' },
  },
  {
    name: 'rspress',
    files: {
      'package.json': {
        devDependencies: { '@rspress/core': '2' },
        scripts: { build: 'rspress build', dev: 'rspress dev', start: 'rspress preview' },
      },
    },
    built: { 'doc_build/index.html': '' },
    framework: 'Rspress',
    start: 'files of doc_build',
  },
  {
    name: 'slidev',
    files: {
      'package.json': { dependencies: { '@slidev/cli': '52', vue: '3' }, scripts: { start: 'slidev --open' } },
      'slides.md': '# slidev\n',
    },
    built: { 'dist/index.html': '' },
    framework: 'Slidev',
    build: 'npx slidev build',
    start: 'files of dist',
  },
  {
    name: 'expo',
    files: {
      'package.json': {
        main: 'index.js',
        dependencies: { expo: '54', 'react-native': '0.81', 'react-dom': '19', 'react-native-web': '0.21' },
        scripts: { start: 'expo start', web: 'expo start --web' },
      },
      'index.js': '',
    },
    built: { 'dist/index.html': '' },
    framework: 'Expo',
    build: 'npx expo export --platform web',
    start: 'files of dist',
  },
  {
    name: 'farm',
    files: {
      'package.json': {
        devDependencies: { '@farmfe/core': '1', '@farmfe/cli': '1' },
        scripts: { start: 'farm start', build: 'farm build', preview: 'farm preview' },
      },
      'index.html': '',
    },
    built: { 'dist/index.html': '' },
    framework: 'Farm',
    start: 'files of dist',
  },
  {
    name: 'hexo',
    files: {
      'package.json': {
        dependencies: { hexo: '^7.3.0' },
        scripts: { build: 'hexo generate', server: 'hexo server' },
      },
    },
    built: { 'public/index.html': '' },
    framework: 'Hexo',
    start: 'files of public',
  },
  {
    name: 'vuepress-vite',
    files: {
      'package.json': {
        dependencies: { 'vuepress-vite': '2.0.0-beta.24' },
        scripts: { build: 'vuepress build guide' },
      },
    },
    built: { 'guide/.vuepress/dist/index.html': '' },
    framework: 'VuePress',
    start: 'files of guide/.vuepress/dist',
  },
  {
    name: 'ionic-angular',
    files: {
      'package.json': {
        dependencies: { '@angular/core': '^20.0.0', '@ionic/angular': '^8.0.0' },
        scripts: { start: 'ng serve', build: 'ng build' },
      },
    },
    built: { 'www/browser/index.html': '', 'src/index.html': '' },
    framework: 'Angular',
    start: 'files of www/browser',
  },
  {
    name: 'vite-other-directory',
    files: { 'package.json': { devDependencies: { vite: '^7.0.0' }, scripts: { start: 'vite', build: 'vite build' } } },
    built: { 'build/index.html': '', 'index.html': '' },
    framework: 'Vite',
    start: 'files of build',
  },
  {
    name: 'vitepress',
    files: {
      'package.json': {
        devDependencies: { vitepress: '^1.6.0' },
        scripts: { build: 'vitepress build docs', dev: 'vitepress dev docs' },
      },
      [['docs', 'index.md'].join('/')]: '# vitepress\n',
    },
    built: { 'docs/.vitepress/dist/index.html': '' },
    framework: 'VitePress',
    start: 'files of docs/.vitepress/dist',
    answers: { text: 'vitepress' },
  },
  {
    name: 'create-react-app',
    files: {
      'package.json': {
        dependencies: { 'react-scripts': '5' },
        scripts: { start: 'react-scripts start', build: 'react-scripts build' },
      },
    },
    built: { 'build/index.html': '', 'public/index.html': '' },
    framework: 'Create React App',
    start: 'files of build',
  },
  {
    name: 'vue-cli',
    files: {
      'package.json': {
        dependencies: { vue: '3' },
        devDependencies: { '@vue/cli-service': '5' },
        scripts: { serve: 'vue-cli-service serve', build: 'vue-cli-service build' },
      },
    },
    built: { 'dist/index.html': '', 'public/index.html': '' },
    framework: 'Vue CLI',
    start: 'files of dist',
  },
  {
    name: 'angular',
    files: {
      'package.json': { dependencies: { '@angular/core': '20' }, scripts: { start: 'ng serve', build: 'ng build' } },
    },
    built: { 'dist/shop/browser/index.html': '' },
    framework: 'Angular',
    start: 'files of dist/shop/browser',
  },
  {
    name: 'gatsby',
    files: {
      'package.json': { dependencies: { gatsby: '5' }, scripts: { start: 'gatsby develop', build: 'gatsby build' } },
    },
    built: { 'public/index.html': '' },
    framework: 'Gatsby',
    start: 'files of public',
  },
  {
    name: 'docusaurus',
    files: {
      'package.json': {
        dependencies: { '@docusaurus/core': '3' },
        scripts: { start: 'docusaurus start', build: 'docusaurus build' },
      },
    },
    built: { 'build/index.html': '' },
    framework: 'Docusaurus',
    start: 'files of build',
  },
];

/** Applications whose build makes files and no server. */
export const SITES = STARTERS.map((starter): Starter => ({ build: 'npm run build', ...starter }));

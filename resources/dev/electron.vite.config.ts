import { join, resolve } from 'node:path'
import react from '@vitejs/plugin-react'
import { defineConfig } from 'electron-vite'
import type { Plugin } from 'vite'
import { contentPolicyForMeta } from '../../shared/ipc/content-policy.ts'
import { mirrorDirname } from './mirror-dirname.ts'

const root = resolve(import.meta.dirname, '../..')

/** The policy is also a header; the element holds where a window is ever loaded without one. */
const policyInPage: Plugin = {
  name: 'ringside:content-policy',
  transformIndexHtml: () => [
    {
      tag: 'meta',
      attrs: {
        'http-equiv': 'Content-Security-Policy',
        // Older Safari does not count a WebSocket of the page's own host as 'self'.
        content: contentPolicyForMeta(['ws://127.0.0.1:*', 'ws://localhost:*']),
      },
      injectTo: 'head-prepend',
    },
  ],
}

const dirnames: Plugin = {
  name: 'ringside:mirror-dirname',
  transform: (code, id) =>
    code.includes('import.meta.dirname') && id.startsWith(root) && !id.includes('node_modules')
      ? { code: mirrorDirname(code, id, root, '..'), map: null }
      : null,
}

export default defineConfig({
  main: {
    root,
    plugins: [dirnames],
    build: {
      outDir: join(root, 'out/main'),
      // Flat, so that every chunk is one folder below out/.
      rolldownOptions: {
        input: { index: join(root, 'electron/main/index.ts') },
        output: { chunkFileNames: '[name]-[hash].js' },
      },
    },
  },
  preload: {
    root,
    build: {
      outDir: join(root, 'out/preload'),
      // A sandboxed preload may require nothing but Electron's own few modules: one self-contained file.
      externalizeDeps: false,
      rolldownOptions: {
        input: { preload: join(root, 'electron/preload/preload.ts') },
        output: { format: 'cjs', entryFileNames: '[name].cjs' },
      },
    },
  },
  renderer: {
    root: join(root, 'renderer'),
    plugins: [react(), policyInPage],
    build: {
      outDir: join(root, 'out/renderer'),
      minify: true,
      emptyOutDir: true,
      modulePreload: { polyfill: false },
      // Inlined assets would need data: in more of the content policy than images.
      assetsInlineLimit: 0,
      rolldownOptions: { input: { index: join(root, 'renderer/index.html') } },
    },
  },
})

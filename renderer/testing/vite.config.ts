import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'

/** The window over a fake core, for development. The product is built elsewhere and never sees this folder. */
export default defineConfig({
  root: `${import.meta.dirname}/..`,
  plugins: [react()],
  build: {
    outDir: `${import.meta.dirname}/../../node_modules/.cache/ringside-fake`,
    emptyOutDir: true,
    rolldownOptions: { input: `${import.meta.dirname}/fake.html` },
  },
})

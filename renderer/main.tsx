// React apart from all that is made with it: to start both in one go would hold up the page for both.
await import('react-dom/client')
const [{ mount }, { createBridge }] = await Promise.all([
  import('./app/mount.tsx'),
  import('./bridge/bridge.ts'),
])

const root = document.getElementById('root')
if (root) mount(createBridge(), root)

// Only a module may wait at its top.
export {}

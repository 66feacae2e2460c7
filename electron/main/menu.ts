import type { MenuItemConstructorOptions } from 'electron'

/** Standard roles only: without an Edit menu, copy and paste have no keys on macOS. */
export const menuTemplate = (platform: NodeJS.Platform): MenuItemConstructorOptions[] => [
  ...(platform === 'darwin' ? [{ role: 'appMenu' } as const] : [{ role: 'fileMenu' } as const]),
  { role: 'editMenu' },
  {
    label: 'View',
    submenu: [
      { role: 'resetZoom' },
      { role: 'zoomIn' },
      { role: 'zoomOut' },
      { type: 'separator' },
      { role: 'togglefullscreen' },
      { role: 'toggleDevTools' },
    ],
  },
  { role: 'windowMenu' },
]

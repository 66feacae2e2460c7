import { useTheme } from '../../theme/theme.ts'

const margin = 12
const titleHeight = 26

/** The panel's canvases where they stand, under its title, at the screen's own density. Null where it draws nothing on a canvas. */
export async function pngOf(panel: HTMLElement, title: string): Promise<Blob | null> {
  const canvases = [...panel.querySelectorAll('canvas')]
  if (canvases.length === 0) return null
  const { tokens } = useTheme.getState()
  const density = window.devicePixelRatio
  const box = panel.getBoundingClientRect()
  const out = document.createElement('canvas')
  out.width = Math.round((box.width + 2 * margin) * density)
  out.height = Math.round((box.height + 2 * margin) * density)
  const context = out.getContext('2d')
  if (!context) return null
  context.scale(density, density)
  context.fillStyle = tokens.panel
  context.fillRect(0, 0, box.width + 2 * margin, box.height + 2 * margin)
  context.fillStyle = tokens.text
  context.font = '600 12px Inter, "Segoe UI", system-ui, sans-serif'
  context.fillText(title, margin + 4, titleHeight - 6)
  for (const canvas of canvases) {
    const at = canvas.getBoundingClientRect()
    context.drawImage(canvas, at.left - box.left + margin, at.top - box.top + margin, at.width, at.height)
  }
  return new Promise((resolve) => out.toBlob(resolve, 'image/png'))
}

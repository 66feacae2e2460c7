/** Room around a plot for its labels, in px; equal in all charts of a page, so that their step axes line up. */
export type Inset = { left: number; right: number; top: number; bottom: number }

export const plotInset: Inset = { left: 48, right: 8, top: 6, bottom: 4 }

export const chartFont = '10px Inter, "SF Pro Text", "Segoe UI", system-ui, "DejaVu Sans", sans-serif'

import { create } from 'zustand'

/**
 * What the pointer or the keys are on in Live: a step that all charts mark, and a rollout that the right column shows. The one hovered comes
 * before the one selected.
 */
type LiveFocus = {
  step: number | null
  hovered: string | null
  selected: string | null
  /** Steps that all charts show; null for all of the run. */
  zoom: [number, number] | null
}

export const useLiveFocus = create<LiveFocus>()(() => ({
  step: null,
  hovered: null,
  selected: null,
  zoom: null,
}))

export const focusedRollout = (state: LiveFocus): string | null => state.hovered ?? state.selected

export function setFocusStep(step: number | null): void {
  if (useLiveFocus.getState().step !== step) useLiveFocus.setState({ step })
}

/** Shows these steps in every chart; fewer than two are widened. */
export function setZoom(zoom: [number, number] | null): void {
  useLiveFocus.setState({ zoom: zoom && [zoom[0], Math.max(zoom[1], zoom[0] + 1)] })
}

export function setHovered(hovered: string | null): void {
  if (useLiveFocus.getState().hovered !== hovered) useLiveFocus.setState({ hovered })
}

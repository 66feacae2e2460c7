import { create } from 'zustand'

/**
 * What the pointer or the keys are on in Live: a step that all charts mark, and a rollout that the right column shows. The one hovered comes
 * before the one selected.
 */
type LiveFocus = { step: number | null; hovered: string | null; selected: string | null }

export const useLiveFocus = create<LiveFocus>()(() => ({ step: null, hovered: null, selected: null }))

export const focusedRollout = (state: LiveFocus): string | null => state.hovered ?? state.selected

export function setFocusStep(step: number | null): void {
  if (useLiveFocus.getState().step !== step) useLiveFocus.setState({ step })
}

export function setHovered(hovered: string | null): void {
  if (useLiveFocus.getState().hovered !== hovered) useLiveFocus.setState({ hovered })
}

import { createContext } from 'react'

/**
 * Whether what is inside is on the screen. A panel that is not reads no newer data until it is: with a run that moves many times a second, drawing what
 * nobody sees would take the time of what somebody does.
 */
export const Shown = createContext(true)

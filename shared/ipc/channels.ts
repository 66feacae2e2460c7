/** The two channels between the Electron window and its core, and the one address from which the window may be loaded. */
export const requestChannel = 'ringside:request'
export const eventChannel = 'ringside:event'
export const appOrigin = 'ringside://console'

/**
 * Whether a body belongs to the audited share. Its hash decides, which no policy chooses with the audit in mind: the same bodies are chosen
 * whoever asks and whenever, and a larger share holds all of a smaller one.
 *
 * @param share above 0 up to 1.
 */
export const inSample = (bodySha256: string, share: number): boolean =>
  share >= 1 || Number.parseInt(bodySha256.slice(-12), 16) < share * 0x1_0000_0000_0000

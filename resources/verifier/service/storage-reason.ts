/** The `reason` of a grade that could not be stored or begun, from what the file system threw. */
export function storageReason(failure: unknown): 'disk_full' | 'storage_failed' {
  const code = (failure as NodeJS.ErrnoException | null)?.code
  return code === 'ENOSPC' || code === 'EDQUOT' ? 'disk_full' : 'storage_failed'
}

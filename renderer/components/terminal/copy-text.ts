import { toast } from 'sonner'

/** Puts what is selected in a terminal on the clipboard, else all that it keeps, and says so. */
export function copyText(text: string): void {
  navigator.clipboard.writeText(text).then(
    () => toast.success('Copied: what is selected, or all that is shown'),
    () => toast.error('The clipboard cannot be written to'),
  )
}

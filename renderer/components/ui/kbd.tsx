import './ui.css'

/** Key caps, in the order in which they are pressed. */
export function Kbd({ caps }: { caps: string[] }) {
  return (
    <span className="kbds">
      {caps.map((cap, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a sequence such as `g g` repeats a cap, and never changes its order
        <kbd key={`${cap}${index}`}>{cap}</kbd>
      ))}
    </span>
  )
}

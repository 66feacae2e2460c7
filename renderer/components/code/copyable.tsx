import { useEffect, useState } from 'react'
import './code.css'

type Props = {
  /** What is copied, whole. */
  value: string
  /** What it is, for the title and for assistive technology: `body sha256`. */
  name: string
  /** Characters shown; the rest is an ellipsis. */
  length?: number
}

/** A hash or an id: short on screen, whole on the clipboard. */
export function Copyable({ value, name, length = 12 }: Props) {
  const [copied, setCopied] = useState(false)
  useEffect(() => {
    if (!copied) return
    const timer = setTimeout(() => setCopied(false), 1200)
    return () => clearTimeout(timer)
  }, [copied])
  const copy = () => {
    navigator.clipboard.writeText(value).then(
      () => setCopied(true),
      () => undefined,
    )
  }
  return (
    <button
      type="button"
      className={`hash ${copied ? 'copied' : ''}`}
      title={`${name} ${value}; click to copy`}
      onClick={copy}
    >
      <span className="visually-hidden">Copy {name} </span>
      {copied ? 'copied' : value.length > length ? `${value.slice(0, length)}…` : value}
    </button>
  )
}
